#ifndef CSQLITE_SWITCHES_H
#define CSQLITE_SWITCHES_H

#include <sqlite3.h>

/// Lets the triggers of a connection rest. SQLite's own function takes a list of arguments of any length, which Swift
/// cannot call.
///
/// Returns SQLITE_OK.
int sqlite_rest_triggers(sqlite3 *connection);

#endif
