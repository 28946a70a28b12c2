// A shared library for LD_PRELOAD that lets the n-th call that changes a file fail, or kills the
// process there. Only calls for paths below one folder are counted.
//
//   FAULTS_FOLDER  the folder, as an absolute path without links; nothing is counted without it
//   FAULTS_LOG     a file, elsewhere, that gets a line "name path" for each counted call
//   FAULTS_AT      a fault and the number of a call, from 1 on, such as "before:12":
//     before   kills the process instead of the call
//     partly   a write writes half of its bytes, any other call is completed; then kills the process
//     full     the disk is full: a write writes half of its bytes, and from then on every call
//              that needs space fails with ENOSPC; renaming and removing files still works
//     EIO, EROFS   the call fails with this error, and later ones do not
//     vanish   the folder is renamed, to its name and ".gone", before the call
//
// The variables are read when the library is loaded, and again by read_faults().

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { NONE, BEFORE, PARTLY, FULL, FAIL, VANISH };

static char folder[PATH_MAX];
static enum fault fault;
static int failure;
static long chosen;
static int log_file = -1;
static atomic_long calls;

__attribute__((constructor)) void read_faults(void) {
    const char *in = getenv("FAULTS_FOLDER"), *at = getenv("FAULTS_AT"), *log = getenv("FAULTS_LOG");
    snprintf(folder, sizeof folder, "%s", in ? in : "");
    calls = 0;
    fault = NONE;
    if (log_file >= 0) syscall(SYS_close, log_file);
    log_file = -1;
    if (log) log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (!at) return;
    const char *colon = strchr(at, ':');
    chosen = colon ? atol(colon + 1) : 0;
    if (!strncmp(at, "before:", 7)) fault = BEFORE;
    if (!strncmp(at, "partly:", 7)) fault = PARTLY;
    if (!strncmp(at, "full:", 5)) fault = FULL, failure = ENOSPC;
    if (!strncmp(at, "EIO:", 4)) fault = FAIL, failure = EIO;
    if (!strncmp(at, "EROFS:", 6)) fault = FAIL, failure = EROFS;
    if (!strncmp(at, "vanish:", 7)) fault = VANISH;
    if (fault == NONE || chosen < 1) {
        dprintf(2, "FAULTS_AT is not a fault and a number: %s\n", at);
        _exit(2);
    }
}

static void name_file(char *path, int file) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = 0;
}

static void name_path(char *path, int at, const char *given) {
    if (given[0] == '/') {
        snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    if (at != AT_FDCWD) name_file(path, at);
    else if (!getcwd(path, PATH_MAX)) path[0] = 0;
    size_t size = strlen(path);
    snprintf(path + size, PATH_MAX - size, "/%s", given);
}

static int is_below(const char *path) {
    size_t size = strlen(folder);
    return size && !strncmp(path, folder, size) && (path[size] == '/' || path[size] == 0);
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); for (;;) pause(); }

// What to do at a call: make it, fail, or write half of the bytes and then die or fail later.
enum action { MAKE, FAIL_NOW, HALF, MAKE_AND_DIE };

static enum action count_call(const char *name, const char *path, int needs_space) {
    if (!is_below(path)) return MAKE;
    long number = ++calls;
    if (log_file >= 0) {
        char line[PATH_MAX + 64];
        int size = snprintf(line, sizeof line, "%s %s\n", name, path);
        syscall(SYS_write, log_file, line, size);
    }
    if (fault == NONE || number < chosen) return MAKE;
    int is_write = strstr(name, "write") != 0 || !strcmp(name, "copy");
    if (fault == FULL) {
        if (!needs_space) return MAKE;
        if (number == chosen && is_write) return HALF;
        errno = failure;
        return FAIL_NOW;
    }
    if (number > chosen) return MAKE;
    if (fault == BEFORE) die();
    if (fault == VANISH) {
        char gone[PATH_MAX + 8];
        snprintf(gone, sizeof gone, "%s.gone", folder);
        syscall(SYS_renameat2, AT_FDCWD, folder, AT_FDCWD, gone, 0);
        return MAKE;
    }
    if (fault == PARTLY) return is_write ? HALF : MAKE_AND_DIE;
    errno = failure;
    return FAIL_NOW;
}

static long finish(enum action action, long result) {
    int error = errno;
    if (action == MAKE_AND_DIE || (action == HALF && fault == PARTLY)) die();
    errno = error;
    return result;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// A call that names one path, or an open file.
#define BY_PATH(name, label, at, path, needs_space, ...) \
    REAL(name); char named[PATH_MAX]; name_path(named, at, path); \
    enum action action = count_call(label, named, needs_space); \
    if (action == FAIL_NOW) return -1; \
    return finish(action, real(__VA_ARGS__))
#define BY_FILE(name, label, file, needs_space, ...) \
    REAL(name); char named[PATH_MAX]; name_file(named, file); \
    enum action action = count_call(label, named, needs_space); \
    if (action == FAIL_NOW) return -1; \
    return finish(action, real(__VA_ARGS__))
#define BY_TWO_PATHS(name, label, from_at, from, to_at, to, needs_space, ...) \
    REAL(name); char named[PATH_MAX], source[PATH_MAX]; \
    name_path(named, to_at, to); name_path(source, from_at, from); \
    enum action action = count_call(label, is_below(named) ? named : source, needs_space); \
    if (action == FAIL_NOW) return -1; \
    return finish(action, real(__VA_ARGS__))

// Opening changes something if it creates or truncates a file.
#define OPEN(name, at, path, flags, ...) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
    REAL(name); \
    enum action action = MAKE; \
    if ((flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE) { \
        char named[PATH_MAX]; name_path(named, at, path); \
        action = count_call("open", named, 1); \
        if (action == FAIL_NOW) return -1; \
    } \
    return finish(action, real(__VA_ARGS__))

int open(const char *path, int flags, ...) { OPEN(open, AT_FDCWD, path, flags, path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN(open64, AT_FDCWD, path, flags, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { OPEN(openat, at, path, flags, at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { OPEN(openat64, at, path, flags, at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static enum action count_write(const char *name, int file, size_t *size) {
    char named[PATH_MAX];
    name_file(named, file);
    enum action action = count_call(name, named, 1);
    if (action == HALF) {
        if (*size < 2) {
            if (fault == PARTLY) die();
            errno = failure;
            return FAIL_NOW;
        }
        *size /= 2;
    }
    return action;
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    enum action action = count_write("write", file, &size);
    return action == FAIL_NOW ? -1 : finish(action, real(file, data, size));
}

#define PWRITE(name, offset_type) \
    ssize_t name(int file, const void *data, size_t size, offset_type offset) { \
        REAL(name); \
        enum action action = count_write("pwrite", file, &size); \
        return action == FAIL_NOW ? -1 : finish(action, real(file, data, size, offset)); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

// Half of the pieces; of one piece, half of its bytes.
ssize_t writev(int file, const struct iovec *pieces, int count) {
    REAL(writev);
    struct iovec first = count ? pieces[0] : (struct iovec){0};
    size_t size = count > 1 ? (size_t)count : first.iov_len, whole = size;
    enum action action = count_write("writev", file, &size);
    if (action == FAIL_NOW) return -1;
    if (size == whole) return finish(action, real(file, pieces, count));
    if (count > 1) return finish(action, real(file, pieces, (int)size));
    first.iov_len = size;
    return finish(action, real(file, &first, 1));
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags) {
    REAL(copy_file_range);
    enum action action = count_write("copy", to, &size);
    return action == FAIL_NOW ? -1 : finish(action, real(from, at, to, to_at, size, flags));
}

ssize_t sendfile(int to, int from, off_t *at, size_t size);
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    REAL(sendfile);
    enum action action = count_write("copy", to, &size);
    return action == FAIL_NOW ? -1 : finish(action, real(to, from, at, size));
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size);
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    REAL(sendfile64);
    enum action action = count_write("copy", to, &size);
    return action == FAIL_NOW ? -1 : finish(action, real(to, from, at, size));
}

int ftruncate(int file, off_t size) { BY_FILE(ftruncate, "truncate", file, 1, file, size); }
int ftruncate64(int file, off64_t size) { BY_FILE(ftruncate64, "truncate", file, 1, file, size); }
int truncate(const char *path, off_t size) { BY_PATH(truncate, "truncate", AT_FDCWD, path, 1, path, size); }
int truncate64(const char *path, off64_t size) { BY_PATH(truncate64, "truncate", AT_FDCWD, path, 1, path, size); }
int fallocate(int file, int mode, off_t at, off_t size) { BY_FILE(fallocate, "allocate", file, 1, file, mode, at, size); }
int fallocate64(int file, int mode, off64_t at, off64_t size) { BY_FILE(fallocate64, "allocate", file, 1, file, mode, at, size); }

// Below the folder, nothing is flushed to disk: a kill does not lose what the system has, and the
// disk would take most of the time of the tests.
#define SYNC(name) \
    int name(int file) { \
        REAL(name); \
        char named[PATH_MAX]; \
        name_file(named, file); \
        enum action action = count_call("fsync", named, 1); \
        if (action == FAIL_NOW) return -1; \
        return finish(action, is_below(named) ? 0 : real(file)); \
    }
SYNC(fsync)
SYNC(fdatasync)

int chmod(const char *path, mode_t mode) { BY_PATH(chmod, "chmod", AT_FDCWD, path, 0, path, mode); }
int fchmod(int file, mode_t mode) { BY_FILE(fchmod, "chmod", file, 0, file, mode); }
int mkdir(const char *path, mode_t mode) { BY_PATH(mkdir, "mkdir", AT_FDCWD, path, 1, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { BY_PATH(mkdirat, "mkdir", at, path, 1, at, path, mode); }
int rmdir(const char *path) { BY_PATH(rmdir, "rmdir", AT_FDCWD, path, 0, path); }
int unlink(const char *path) { BY_PATH(unlink, "unlink", AT_FDCWD, path, 0, path); }
int unlinkat(int at, const char *path, int flags) { BY_PATH(unlinkat, "unlink", at, path, 0, at, path, flags); }
int remove(const char *path) { BY_PATH(remove, "unlink", AT_FDCWD, path, 0, path); }
int rename(const char *from, const char *to) { BY_TWO_PATHS(rename, "rename", AT_FDCWD, from, AT_FDCWD, to, 0, from, to); }
int renameat(int from_at, const char *from, int to_at, const char *to) { BY_TWO_PATHS(renameat, "rename", from_at, from, to_at, to, 0, from_at, from, to_at, to); }
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) { BY_TWO_PATHS(renameat2, "rename", from_at, from, to_at, to, 0, from_at, from, to_at, to, flags); }
int link(const char *from, const char *to) { BY_TWO_PATHS(link, "link", AT_FDCWD, from, AT_FDCWD, to, 1, from, to); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) { BY_TWO_PATHS(linkat, "link", from_at, from, to_at, to, 1, from_at, from, to_at, to, flags); }
int symlink(const char *from, const char *to) { BY_PATH(symlink, "link", AT_FDCWD, to, 1, from, to); }
