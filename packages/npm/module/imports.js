// For Emscripten's linker: functions that the package's loader provides (src/instance.js).
mergeInto(LibraryManager.library, {file_read: function() {}, file_size: function() {}});
