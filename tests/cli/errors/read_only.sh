# Folders and file systems that cannot be written, files that cannot be read.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 1000 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32 -o a.ghz
mkdir locked && echo old >locked/old.ghz && cp a.f32 locked/a.f32 && ln -s locked/new.ghz link
cp a.f32 secret.f32 && chmod 000 secret.f32
trap 'chmod 755 locked' EXIT
chmod 555 locked
# Permissions are nothing to root, unless it gives that up.
plain=()
[ "$(id -u)" != 0 ] || plain=(setpriv "--bounding-set=-dac_override,-dac_read_search")
limited() { "${plain[@]}" "$@"; }
if limited true 2>/dev/null && limited "$GHZ" --version >/dev/null && ! limited touch locked/x 2>/dev/null; then
  fails 1 'locked/new.ghz: cannot be created: Permission denied' limited "$GHZ" scale 2 a.ghz -o locked/new.ghz
  fails 1 'locked/old.ghz: cannot be created: Permission denied' limited "$GHZ" compress -f --abs 1e-3 a.f32 -o locked/old.ghz
  fails 1 'locked/a.f32.ghz: cannot be created: Permission denied' limited "$GHZ" compress --abs 1e-3 locked/a.f32
  fails 1 'link: cannot be created: Permission denied' limited "$GHZ" add -f a.ghz a.ghz -o link
  cp a.ghz kept.ghz && chmod 444 kept.ghz # protected: packed in its place with -f alone
  fails 1 'kept.ghz: Permission denied; use -f' limited "$GHZ" unpack kept.ghz
  ok limited "$GHZ" unpack -f kept.ghz
  fails 1 'secret.f32: Permission denied' limited "$GHZ" compress --abs 1e-3 secret.f32 -o new.ghz
  fails 1 'temporary file in locked: Permission denied' limited env TMPDIR=locked bash -c \
    'cat a.f32 | "$GHZ" compress --rel 1e-3 --type f32 -o new.ghz'
  ok limited "$GHZ" compress -q --abs 1e-3 locked/a.f32 -o new.ghz # reading there is fine
  same new.ghz a.ghz
  done=yes
fi
# A file system without writing.
mkdir mounted
inside() { unshare --mount bash -c 'mount -t tmpfs -o size=1m none mounted && echo old >mounted/old.ghz &&
  mount -o remount,ro none mounted && exec "$@"' bash "$@"; }
if inside true 2>/dev/null; then
  fails 1 'mounted/new.ghz: cannot be created: Read-only file system' inside "$GHZ" scale 2 a.ghz -o mounted/new.ghz
  fails 1 'mounted/old.ghz: cannot be created: Read-only file system' inside "$GHZ" scale -f 2 a.ghz -o mounted/old.ghz
  done=yes
fi
[ -n "${done:-}" ] || skip "nothing is read-only to this user here"
