// Preloaded into a process (LD_PRELOAD): watches the writes and syncs of one file. Built by cc where there is one.
//
//   SHIM_FILE    the end of the file's path
//   SHIM_LOG     a file that gets every write with its bytes, every sync and every acknowledgement, in order
//   SHIM_ACKS    the end of the path of a file whose writes are acknowledgements, for the log
//   SHIM_FAULTS  every so many calls, on average, one fails: "<calls> <seed> <kinds>", kinds of n (ENOSPC), e (EIO),
//                s (a sync that fails); a line for each on standard error
//   SHIM_TRIGGER a file that makes the next sync fail by being there; it is removed then
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static long until_fault = -1;
static uint64_t state;
static int ready;

static uint64_t next_random(void) {
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static long fault_every(void) {
  const char *text = getenv("SHIM_FAULTS");
  return text ? atol(text) : 0;
}

static void prepare(void) {
  if (ready) return;
  ready = 1;
  const char *path = getenv("SHIM_LOG");
  if (path) log_file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const char *faults = getenv("SHIM_FAULTS");
  if (faults) {
    const char *seed = strchr(faults, ' ');
    state = seed ? strtoull(seed, NULL, 10) : 1;
    until_fault = 20 + next_random() % (2 * fault_every());
  }
}

// Whether a descriptor is of the file whose path ends with the variable.
static int is_file(int fd, const char *variable) {
  const char *end = getenv(variable);
  if (!end) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t wanted = strlen(end);
  return (size_t)length >= wanted && strcmp(path + length - wanted, end) == 0;
}

static void put(const void *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t count = syscall(SYS_write, log_file, (const char *)bytes + at, length - at);
    if (count <= 0) return;
    at += count;
  }
}

// kind (1) · offset (8) · length (4) · bytes
static void record(char kind, uint64_t offset, const void *bytes, uint32_t length) {
  if (log_file < 0) return;
  char head[13];
  head[0] = kind;
  memcpy(head + 1, &offset, 8);
  memcpy(head + 9, &length, 4);
  put(head, sizeof head);
  if (bytes) put(bytes, length);
}

// Returns the error with which this call fails; 0 if it does not.
static int choose_fault(int is_sync) {
  const char *trigger = getenv("SHIM_TRIGGER");
  if (trigger && is_sync && unlink(trigger) == 0) return EIO;
  if (until_fault < 0) return 0;
  if (until_fault > 0) {
    until_fault--;
    return 0;
  }
  const char *kinds = strrchr(getenv("SHIM_FAULTS"), ' ') + 1;
  char kind = kinds[next_random() % strlen(kinds)];
  if ((kind == 's') != is_sync) return 0;  // the next call of its kind
  until_fault = 20 + next_random() % (2 * fault_every());
  fprintf(stderr, "fault %c\n", kind);
  return kind == 'n' ? ENOSPC : EIO;
}

static int is_synced(int fd) { return (fcntl(fd, F_GETFL) & O_DSYNC) != 0; }

static ssize_t write_at(int fd, const struct iovec *parts, int count, off_t offset) {
  pthread_mutex_lock(&lock);
  prepare();
  int fault = choose_fault(0);
  ssize_t result = -1;
  if (fault) {
    // Part of it may have been written, as on a disk.
    if (next_random() % 2) syscall(SYS_pwrite64, fd, parts[0].iov_base, parts[0].iov_len / 2, offset);
    errno = fault;
  } else {
    result = syscall(SYS_pwritev, fd, parts, count, offset, 0);
    off_t at = offset;
    ssize_t left = result;
    for (int i = 0; i < count && left > 0; i++) {
      size_t length = parts[i].iov_len < (size_t)left ? parts[i].iov_len : (size_t)left;
      record(is_synced(fd) ? 'd' : 'w', at, parts[i].iov_base, length);
      at += length;
      left -= length;
    }
  }
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

static int sync_file(int fd, long call) {
  pthread_mutex_lock(&lock);
  prepare();
  int fault = choose_fault(1);
  int result = -1;
  if (fault) errno = fault;
  else {
    result = syscall(call, fd);
    record('s', 0, NULL, 0);
  }
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  struct iovec part = {(void *)bytes, length};
  if (!is_file(fd, "SHIM_FILE")) return syscall(SYS_pwrite64, fd, bytes, length, offset);
  return write_at(fd, &part, 1, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return pwrite(fd, bytes, length, offset); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  if (!is_file(fd, "SHIM_FILE")) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
  return write_at(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev(fd, parts, count, offset); }

// LMDB also writes at the position of the descriptor.
static ssize_t write_here(int fd, const struct iovec *parts, int count) {
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t result = write_at(fd, parts, count, offset);
  if (result > 0) lseek(fd, offset + result, SEEK_SET);
  return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_file(fd, "SHIM_FILE")) return syscall(SYS_writev, fd, parts, count);
  return write_here(fd, parts, count);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (fd > 2 && is_file(fd, "SHIM_ACKS")) {
    pthread_mutex_lock(&lock);
    prepare();
    record('a', 0, bytes, length);
    pthread_mutex_unlock(&lock);
  } else if (fd > 2 && is_file(fd, "SHIM_FILE")) {
    struct iovec part = {(void *)bytes, length};
    return write_here(fd, &part, 1);
  }
  return syscall(SYS_write, fd, bytes, length);
}

int fdatasync(int fd) {
  return is_file(fd, "SHIM_FILE") ? sync_file(fd, SYS_fdatasync) : syscall(SYS_fdatasync, fd);
}
int fsync(int fd) { return is_file(fd, "SHIM_FILE") ? sync_file(fd, SYS_fsync) : syscall(SYS_fsync, fd); }

int ftruncate(int fd, off_t size) {
  int result = syscall(SYS_ftruncate, fd, size);
  if (result == 0 && is_file(fd, "SHIM_FILE")) {
    pthread_mutex_lock(&lock);
    prepare();
    record('t', size, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }
