/* A preloaded library that makes chosen calls of a program fail, for tests (README.md). glibc
 * only. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* both names of each call are given below */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(default)

/* Kinds of calls. Each has its own counter and rule. */
enum Kind { ALLOC, THREAD, OPEN, READ, WRITE, CLOSE, SYNC, RENAME, TRUNCATE, LINK, UNLINK, KINDS };
static const char *const kNames[KINDS] = {"alloc", "thread", "open",     "read", "write", "close",
                                          "sync",  "rename", "truncate", "link", "unlink"};

static struct Rule {
    atomic_long first;     /* this call fails, counted from 1; 0: none does */
    atomic_bool from_then; /* and all that follow */
    int error;             /* errno value; 0: a short count, half of what was asked for */
} rules[KINDS];
static atomic_long calls[KINDS], live_blocks;
static atomic_bool counting;
static const char *only_path; /* calls on files: those with this text in their names */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* ---- for tests in the same process, which link or look up these ---- */

/* The n-th allocation from now on fails, and with `from_then` all after it; n = 0: none. */
void inject_allocations(long n, int from_then) {
    atomic_store(&rules[ALLOC].first, 0);
    atomic_store(&calls[ALLOC], 0);
    atomic_store(&rules[ALLOC].from_then, from_then != 0);
    atomic_store(&rules[ALLOC].first, n);
    atomic_store(&counting, true);
}
long inject_allocations_seen(void) { return atomic_load(&calls[ALLOC]); }
long inject_live_blocks(void) { return atomic_load(&live_blocks); }

/* ---- deciding ---- */

static bool fails(enum Kind kind) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return false;
    const long n = atomic_fetch_add_explicit(&calls[kind], 1, memory_order_relaxed) + 1;
    const long first = atomic_load_explicit(&rules[kind].first, memory_order_relaxed);
    return first && (n == first || (n > first && atomic_load_explicit(&rules[kind].from_then, memory_order_relaxed)));
}

static bool path_counts(const char *path) { return !only_path || (path && strstr(path, only_path)); }

static bool descriptor_counts(int fd) {
    if (!only_path) return true;
    const int saved = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length < 0) return false;
    path[length] = 0;
    return path_counts(path);
}

static const struct {
    const char *name;
    int value;
} kErrors[] = {{"short", 0},       {"EINTR", EINTR},   {"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EDQUOT", EDQUOT},
               {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"EROFS", EROFS},
               {"EPERM", EPERM},   {"EXDEV", EXDEV},   {"ENOENT", ENOENT}, {"ELOOP", ELOOP},   {"EBADF", EBADF},
               {"EINVAL", EINVAL}, {"EEXIST", EEXIST}};

static void bad(const char *text) {
    fprintf(stderr, "inject: cannot read the rule '%s'\n", text);
    _exit(125);
}

static void parse(char *text) {
    for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
        char *const at = strchr(item, '@');
        if (!at) bad(item);
        *at = 0;
        char *const equals = strchr(item, '=');
        if (equals) *equals = 0;
        int kind = 0;
        while (kind < KINDS && strcmp(kNames[kind], item)) kind++;
        if (kind == KINDS) bad(item);
        struct Rule *const rule = &rules[kind];
        rule->error = kind == ALLOC ? ENOMEM : kind == THREAD ? EAGAIN : EIO;
        if (equals) {
            size_t i = 0;
            while (i < sizeof kErrors / sizeof kErrors[0] && strcmp(kErrors[i].name, equals + 1)) i++;
            if (i == sizeof kErrors / sizeof kErrors[0]) bad(equals + 1);
            rule->error = kErrors[i].value;
        }
        char *end = at + 1;
        const long first = at[1] == '*' ? 1 : strtol(at + 1, &end, 10);
        atomic_store(&rule->first, first);
        atomic_store(&rule->from_then, at[1] == '*' || *end == '+');
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *const text = getenv("INJECT");
    only_path = getenv("INJECT_PATH");
    if (text) {
        static char copy[1024];
        snprintf(copy, sizeof copy, "%s", text);
        parse(copy);
    }
    atomic_store(&counting, text || getenv("INJECT_REPORT"));
}

__attribute__((destructor)) static void end(void) {
    atomic_store(&counting, false);
    const char *const path = getenv("INJECT_REPORT");
    if (!path) return;
    char lines[1024];
    int length = 0;
    for (int i = 0; i < KINDS; i++)
        length +=
            snprintf(lines + length, sizeof lines - (size_t)length, "%s %ld\n", kNames[i], atomic_load(&calls[i]));
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, lines, (size_t)length) != length) perror("inject: report");
    if (fd >= 0) close(fd);
}

/* ---- memory ---- */

static void *counted(void *block) {
    if (block) atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    return block;
}
static void *refuse(void) {
    errno = ENOMEM;
    return NULL;
}
void *malloc(size_t size) { return fails(ALLOC) ? refuse() : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails(ALLOC) ? refuse() : counted(__libc_calloc(count, size)); }
void *realloc(void *old, size_t size) {
    if (fails(ALLOC)) return refuse();
    void *const block = __libc_realloc(old, size);
    if (!old) counted(block);
    if (old && size == 0 && !block) atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    return block;
}
void *memalign(size_t alignment, size_t size) {
    return fails(ALLOC) ? refuse() : counted(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    if (fails(ALLOC)) return ENOMEM;
    void *const block = counted(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}
void free(void *block) {
    if (block) atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    __libc_free(block);
}

/* ---- other calls; the real functions are in libraries after this one ---- */

#define REAL(result, name, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)
#define FAIL_WITH(kind, value)                                                                                         \
    do {                                                                                                               \
        errno = rules[kind].error;                                                                                     \
        return value;                                                                                                  \
    } while (0)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(THREAD) ? rules[THREAD].error : real(thread, attributes, start, data);
}

/* A short count moves half of the bytes, but at least one. */
static size_t shorter(size_t size) { return size > 1 ? size / 2 : size; }

#define TRANSFER(kind)                                                                                                 \
    const bool hit = descriptor_counts(fd) && fails(kind);                                                             \
    if (hit && rules[kind].error) FAIL_WITH(kind, -1);                                                                 \
    if (hit) size = shorter(size)

ssize_t write(int fd, const void *buffer, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    TRANSFER(WRITE);
    return real(fd, buffer, size);
}
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    TRANSFER(WRITE);
    return real(fd, buffer, size, offset);
}
ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    TRANSFER(WRITE);
    return real(fd, buffer, size, offset);
}
ssize_t read(int fd, void *buffer, size_t size) {
    REAL(ssize_t, read, int, void *, size_t);
    TRANSFER(READ);
    return real(fd, buffer, size);
}
ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
    REAL(ssize_t, pread, int, void *, size_t, off_t);
    TRANSFER(READ);
    return real(fd, buffer, size, offset);
}
ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset) {
    REAL(ssize_t, pread64, int, void *, size_t, off64_t);
    TRANSFER(READ);
    return real(fd, buffer, size, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    const bool hit = descriptor_counts(fd) && fails(WRITE);
    if (hit && rules[WRITE].error) FAIL_WITH(WRITE, -1);
    if (!hit || count < 1) return real(fd, parts, count);
    const struct iovec part = {parts[0].iov_base, shorter(parts[0].iov_len)};
    return real(fd, &part, 1);
}

/* glibc's stdio does not call write() and read(). */
size_t fwrite(const void *buffer, size_t size, size_t count, FILE *file) {
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
    const bool hit = file != stderr && descriptor_counts(fileno(file)) && fails(WRITE);
    if (hit && rules[WRITE].error) FAIL_WITH(WRITE, 0);
    return real(buffer, size, hit ? shorter(count) : count, file);
}
size_t fread(void *buffer, size_t size, size_t count, FILE *file) {
    REAL(size_t, fread, void *, size_t, size_t, FILE *);
    const bool hit = descriptor_counts(fileno(file)) && fails(READ);
    if (hit && rules[READ].error) FAIL_WITH(READ, 0);
    return real(buffer, size, hit ? shorter(count) : count, file);
}
int fflush(FILE *file) {
    REAL(int, fflush, FILE *);
    if (file && file != stderr && descriptor_counts(fileno(file)) && fails(WRITE)) FAIL_WITH(WRITE, EOF);
    return real(file);
}
int fclose(FILE *file) {
    REAL(int, fclose, FILE *);
    const bool hit = descriptor_counts(fileno(file)) && fails(CLOSE);
    const int result = real(file); /* it is closed all the same */
    if (hit) FAIL_WITH(CLOSE, EOF);
    return result;
}

static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }
#define OPEN_WITH_MODE(call)                                                                                           \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    const mode_t mode = mode_of(flags, list);                                                                          \
    va_end(list);                                                                                                      \
    if (path_counts(path) && fails(OPEN)) FAIL_WITH(OPEN, -1);                                                         \
    return call

int open(const char *path, int flags, ...) {
    REAL(int, open, const char *, int, ...);
    OPEN_WITH_MODE(real(path, flags, mode));
}
int open64(const char *path, int flags, ...) {
    REAL(int, open64, const char *, int, ...);
    OPEN_WITH_MODE(real(path, flags, mode));
}
int openat(int folder, const char *path, int flags, ...) {
    REAL(int, openat, int, const char *, int, ...);
    OPEN_WITH_MODE(real(folder, path, flags, mode));
}
int openat64(int folder, const char *path, int flags, ...) {
    REAL(int, openat64, int, const char *, int, ...);
    OPEN_WITH_MODE(real(folder, path, flags, mode));
}
FILE *fopen(const char *path, const char *mode) {
    REAL(FILE *, fopen, const char *, const char *);
    if (path_counts(path) && fails(OPEN)) FAIL_WITH(OPEN, NULL);
    return real(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
    REAL(FILE *, fopen64, const char *, const char *);
    if (path_counts(path) && fails(OPEN)) FAIL_WITH(OPEN, NULL);
    return real(path, mode);
}
int mkostemp(char *path, int flags) {
    REAL(int, mkostemp, char *, int);
    if (path_counts(path) && fails(OPEN)) FAIL_WITH(OPEN, -1);
    return real(path, flags);
}
int mkstemp(char *path) {
    REAL(int, mkstemp, char *);
    if (path_counts(path) && fails(OPEN)) FAIL_WITH(OPEN, -1);
    return real(path);
}

int close(int fd) {
    REAL(int, close, int);
    const bool hit = descriptor_counts(fd) && fails(CLOSE);
    const int result = real(fd); /* Linux closes it all the same */
    if (hit) FAIL_WITH(CLOSE, -1);
    return result;
}
int fsync(int fd) {
    REAL(int, fsync, int);
    if (descriptor_counts(fd) && fails(SYNC)) FAIL_WITH(SYNC, -1);
    return real(fd);
}
int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    if (descriptor_counts(fd) && fails(SYNC)) FAIL_WITH(SYNC, -1);
    return real(fd);
}
int syncfs(int fd) {
    REAL(int, syncfs, int);
    if (descriptor_counts(fd) && fails(SYNC)) FAIL_WITH(SYNC, -1);
    return real(fd);
}
int ftruncate(int fd, off_t size) {
    REAL(int, ftruncate, int, off_t);
    if (descriptor_counts(fd) && fails(TRUNCATE)) FAIL_WITH(TRUNCATE, -1);
    return real(fd, size);
}
int ftruncate64(int fd, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    if (descriptor_counts(fd) && fails(TRUNCATE)) FAIL_WITH(TRUNCATE, -1);
    return real(fd, size);
}

/* Calls with two names share a counter. */
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if ((path_counts(from) || path_counts(to)) && fails(RENAME)) FAIL_WITH(RENAME, -1);
    return real(from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    if ((path_counts(from) || path_counts(to)) && fails(RENAME)) FAIL_WITH(RENAME, -1);
    return real(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    if ((path_counts(from) || path_counts(to)) && fails(RENAME)) FAIL_WITH(RENAME, -1);
    return real(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    if ((path_counts(from) || path_counts(to)) && fails(LINK)) FAIL_WITH(LINK, -1);
    return real(from_folder, from, to_folder, to, flags);
}
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    if (path_counts(path) && fails(UNLINK)) FAIL_WITH(UNLINK, -1);
    return real(path);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    if (path_counts(path) && fails(UNLINK)) FAIL_WITH(UNLINK, -1);
    return real(folder, path, flags);
}
