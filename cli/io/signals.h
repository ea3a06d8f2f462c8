/* signals.h: what happens to the file in progress when a signal ends the command. */
#ifndef GHZ_CLI_SIGNALS_H
#define GHZ_CLI_SIGNALS_H

/* Ignores SIGPIPE and SIGXFSZ, so that writes report an error; catches SIGINT, SIGTERM and SIGHUP. */
void signals_install(void);

/* Makes a new file by mkstemp and removes it if a signal comes. At most one at a time. Returns its descriptor,
 * or -1 with errno set. `pattern` must live until signals_forget. */
int signals_mkstemp(char *pattern);

/* Ends the care for that file: it has got its name, or was removed. */
void signals_forget(void);

/* A file in a directory for temporary files that has no name any more. Returns -1 with errno set. */
int signals_scratch(const char **directory);

#endif
