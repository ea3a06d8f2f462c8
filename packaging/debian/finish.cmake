# finish.cmake: what Debian's policy wants of a package and an installation does not have: symbols
# files, changelog and copyright, documents in the package's own folder, compressed manuals. CPack
# runs it when the components are installed to folders of their own, before it packs them.
# SPDX-License-Identifier: BSD-3-Clause
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(write_control component package root)
  set(folder ${CPACK_GHZ_CONTROL_FOLDER}/${component})
  set(template "")
  file(GLOB libraries ${root}/usr/lib/*/lib*.so.${CPACK_GHZ_ABI})
  list(TRANSFORM libraries PREPEND -e OUTPUT_VARIABLE scanned)
  foreach(library IN LISTS libraries)
    get_filename_component(soname ${library} NAME)
    # Before 1.0 each minor version may change the calls. Base: the names of MPI, to be preloaded.
    string(APPEND template "${soname} ${package} #MINVER#, ${package} (<< ${CPACK_GHZ_BEFORE})\n"
      " (symver|optional)GHZ_${CPACK_GHZ_ABI} ${CPACK_PACKAGE_VERSION}\n (regex|optional)@Base$ ${CPACK_PACKAGE_VERSION}\n")
  endforeach()
  file(WRITE ${folder}/template "${template}")
  file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")
  run(dpkg-gensymbols -q -c4 -p${package} -v${CPACK_GHZ_DEB_VERSION} -P${root} ${scanned} -I${folder}/template -O${folder}/symbols)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(documents ${root}/usr/share/doc/${package})
  if(EXISTS ${root}/usr/share/doc/ghz AND NOT package STREQUAL "ghz")
    file(RENAME ${root}/usr/share/doc/ghz ${documents})
  endif()
  if(EXISTS ${root}/usr/share/zsh/site-functions) # those are the administrator's
    file(RENAME ${root}/usr/share/zsh/site-functions ${root}/usr/share/zsh/vendor-completions)
  endif()
  file(REMOVE ${documents}/LICENSE ${documents}/CHANGELOG.md) # copyright has the one, changelogs have names
  file(MAKE_DIRECTORY ${documents})
  configure_file(${CPACK_GHZ_DEBIAN_FOLDER}/copyright ${documents}/copyright COPYONLY)
  configure_file(${CPACK_GHZ_DEBIAN_FOLDER}/changelog ${documents}/changelog.Debian COPYONLY)
  file(GLOB manuals ${root}/usr/share/man/man*/*)
  list(FILTER manuals EXCLUDE REGEX "[.]gz$")
  run(gzip -9nf ${documents}/changelog.Debian ${manuals})
  if(upper MATCHES "^LIBGHZ(MPI)?$")
    write_control(${component} ${package} ${root})
  endif()
endforeach()
