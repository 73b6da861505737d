// For Emscripten's linker: names that the package's own loader provides (src/instance.js).
mergeInto(LibraryManager.library, {file_read: function() {}, file_size: function() {}});
