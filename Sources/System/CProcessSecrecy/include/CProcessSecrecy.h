#ifndef CPROCESS_SECRECY_H
#define CPROCESS_SECRECY_H

/// Keeps the memory of this process to itself from now on, until it ends:
///
/// * no core dump is written, and no other process of the same user can attach to it or read its memory
///   (PR_SET_DUMPABLE, RLIMIT_CORE);
/// * memory that any part of the program gives back is overwritten with zeros first.
///
/// Programs that it starts are not affected, but for RLIMIT_CORE, which they inherit.
///
/// Returns 0, or the error number of the first step that failed; the other steps are taken in any case.
int process_secrecy_begin(void);

#endif
