import Foundation
import Glibc
import Payments
import Testing

@testable import Storage

@Suite struct ProcessLeaseTests {
    @Test func `every lease has its own number and lives until it is released`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let watcher = try ProcessLease(in: storage)
        var other: ProcessLease? = try ProcessLease(in: storage)
        let number = try #require(other).number
        #expect(number == watcher.number + 1)
        #expect(try watcher.isAlive(watcher.number))
        #expect(try watcher.isAlive(number))
        other = nil
        #expect(try !watcher.isAlive(number))
        #expect(try !watcher.isAlive(999))
    }

    @Test func `the lease of a killed process is dead at once`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let watcher = try ProcessLease(in: storage)
        let (child, number) = try childHoldingLease(of: storage)
        #expect(try watcher.isAlive(number))
        #expect(kill(child, SIGKILL) == 0)
        var status: CInt = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect(try !watcher.isAlive(number))
    }

    @Test func `recovery takes over the attempts of dead processes only`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        var lease: ProcessLease? = try ProcessLease(in: storage)
        let id = try PaymentJournal(storage: storage, lease: try #require(lease)).beginSale().attempt.id

        let rescuer = try database.journal()
        #expect(try rescuer.openAttempts().isEmpty)
        let living = try #require(lease).number
        #expect(throws: JournalError.notOurs(attempt: id, lease: living)) {
            try rescuer.finish(id, as: .failed, at: at(2))
        }

        lease = nil
        #expect(try rescuer.openAttempts().map(\.id) == [id])
        #expect(try database.number("SELECT lease FROM paymentAttempt") == Int(rescuer.lease.number))
        // A second recovery finds nothing.
        #expect(try database.journal().openAttempts().isEmpty)
        try rescuer.finish(id, as: .failed, at: at(2))
        #expect(try rescuer.openAttempts().isEmpty)
    }

    @Test func `a journal finds its own open attempts`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        try journal.markAuthorizing(id, at: at(2))
        try journal.markUnknown(id, reason: "no answer", at: at(3))
        #expect(try journal.openAttempts().map(\.id) == [id])
    }

    /// Starts a process that holds a new lease through an inherited descriptor, and closes our descriptor.
    private func childHoldingLease(of storage: SQLiteStorageManager) throws -> (child: pid_t, lease: Int64) {
        let lease = try ProcessLease(in: storage)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A duplicated descriptor stays open across exec.
        posix_spawn_file_actions_adddup2(&actions, lease.descriptor, 200)
        let name = strdup("sleep")
        let seconds = strdup("600")
        defer {
            free(name)
            free(seconds)
        }
        var child: pid_t = 0
        let result = posix_spawn(&child, "/bin/sleep", &actions, nil, [name, seconds, nil], nil)
        try #require(result == 0)
        return (child, lease.number)
    }
}
