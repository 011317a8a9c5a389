# What `make install` puts where: headers, both libraries, pkg-config file, CMake package, the tool and the gallery.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS limber_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The gallery with its assets (made by the build), without the program that makes them.
install(DIRECTORY gallery/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/gallery
	PATTERN "make" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE PATTERN "made" EXCLUDE PATTERN "*.tmp*" EXCLUDE)

# Each library has an export set of its own: a program that links the shared one needs none of what limber is built on.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
foreach(kind shared static)
	install(TARGETS limber_${kind} EXPORT limber-${kind}
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
	install(EXPORT limber-${kind} NAMESPACE limber:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/limber-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/limber-config.cmake
	INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/limber-config-version.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limber-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/limber-config-version.cmake
	cmake/FindCHOLMOD.cmake DESTINATION ${package_dir})

# The prefix is found from where the file lies, so that a moved or staged tree works.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/limber.pc.in ${CMAKE_CURRENT_BINARY_DIR}/limber.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
