# installed.cmake: what is installed of the command: itself, its manual page, and what completes its
# command line, all by the name that it has.
# SPDX-License-Identifier: BSD-3-Clause
if(NOT GHZ_COMMAND_NAME MATCHES "^[a-z][a-z0-9-]*$")
  message(FATAL_ERROR "GHZ_COMMAND_NAME is '${GHZ_COMMAND_NAME}', which is no name for a command")
endif()

set(page ${CMAKE_CURRENT_BINARY_DIR}/${GHZ_COMMAND_NAME}.1)
set(ghz_page ${PROJECT_SOURCE_DIR}/docs/ghz.1)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ghz_page})
file(READ ${ghz_page} text)
string(TOUPPER ${GHZ_COMMAND_NAME} title)
string(REPLACE ".TH GHZ 1" ".TH ${title} 1" text "${text}")
string(REGEX REPLACE "(^|[ (BIR\n])ghz( [a-z\\]|\\\\fR|\n)" "\\1${GHZ_COMMAND_NAME}\\2" text "${text}")
file(GENERATE OUTPUT ${page} CONTENT "${text}")

install(TARGETS ghz_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Shells ask the command what completes its command line; zsh does so as bash does.
set(completions ${CMAKE_CURRENT_BINARY_DIR}/completion)
set(asks "-o default -C '${GHZ_COMMAND_NAME} --complete'")
file(GENERATE OUTPUT ${completions}/bash CONTENT "complete ${asks} ${GHZ_COMMAND_NAME}\n")
file(GENERATE OUTPUT ${completions}/zsh CONTENT "#compdef ${GHZ_COMMAND_NAME}\nautoload -Uz bashcompinit && bashcompinit\n_bash_complete ${asks}\n")
install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${GHZ_COMMAND_NAME})
install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _${GHZ_COMMAND_NAME})
