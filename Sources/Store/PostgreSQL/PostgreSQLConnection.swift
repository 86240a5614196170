import Concurrency
public import Connections
public import Determinism
import Dispatch

/// A connection to a PostgreSQL server.
///
/// Any number of tasks may use it; their statements and transactions take their turns. Every wait has a deadline and
/// ends when its task is canceled. Such an end asks the server to cancel the statement, and the connection stays usable
/// when the server agrees within a moment (``PostgreSQLTiming/grace``); otherwise the connection is closed. The answer
/// counts: a statement whose success arrives within this moment has succeeded. A commit that should wait for a standby
/// (synchronous replication) has not: the request ends that wait, and a failover may lose what was committed.
///
/// The request to cancel has a connection of its own, which libpq before version 17 makes without TLS. It has no data
/// but a number that allows to cancel.
///
/// A connection that has failed is not made again: make a new one. Releasing the last reference closes it.
public actor PostgreSQLConnection {
    /// Whether TLS protects the connection.
    public nonisolated let isEncrypted: Bool
    /// The version of the server, for example 150018 for 15.18.
    public nonisolated let serverVersion: Int

    nonisolated let time: any TimeSource
    /// Whose statements or transaction run.
    nonisolated let turns = Turns()

    private let link: LibraryConnection
    private let cancellation: LibraryCancellation?
    private let cancelThread = DispatchQueue(label: "postgresql-cancel")
    private let timing: PostgreSQLTiming
    /// Which statements of a transaction run.
    private let exchanges = Turns()
    private var exchange = Exchange([])
    private var isExchanging = false
    private var isClosed = false
    private var transaction = (number: 0, isOpen: false, failure: PostgreSQLError?.none)

    /// Connects to a server.
    ///
    /// libpq tries the hosts of an address one after the other. Give `tcp_user_timeout` in an address with several
    /// hosts, so that one that does not answer leaves time for the others.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - deadline: the end of the look-up of names, connecting, TLS, and the login.
    ///   - time: measures this deadline and all later ones.
    ///   - timing: of canceled statements.
    /// - Returns: the connection, after the login.
    /// - Throws: ``PostgreSQLError`` with the reason `notConnected`, `timedOut`, `canceled`, or `libraryMissing`.
    public static func connect(
        to address: PostgreSQLAddress, deadline: Deadline, time: any TimeSource,
        timing: PostgreSQLTiming = PostgreSQLTiming()
    ) async throws(PostgreSQLError) -> PostgreSQLConnection {
        PostgreSQLConnection(try await Connecting(address, deadline, time).connect(), time, timing)
    }

    private init(_ link: LibraryConnection, _ time: any TimeSource, _ timing: PostgreSQLTiming) {
        (self.link, self.time, self.timing) = (link, time, timing)
        cancellation = link.cancellation()
        (isEncrypted, serverVersion) = (link.isEncrypted, link.serverVersion)
    }

    /// Whether statements can still run. A connection that the network has lost is open until a statement finds out.
    public var isOpen: Bool { !isClosed }

    /// Closes the connection. A statement under way ends with `closed`, or with `commitUnknown` when it may be stored.
    public func close() {
        isClosed = true
        if isExchanging { link.shutDown() } else { link.finish() }
    }

    // MARK: Outside a transaction

    /// Runs a statement, which the server commits by itself.
    ///
    /// - Returns: its rows.
    /// - Throws: ``PostgreSQLError``
    @discardableResult
    public func run(_ statement: Statement, deadline: Deadline) async throws(PostgreSQLError) -> PostgreSQLRows {
        let results = try await run([statement], deadline: deadline)
        return try Self.first(results, statement.place)
    }

    /// Runs statements one after the other without waiting between them. The server commits all of them together, or
    /// none.
    ///
    /// - Returns: the rows of each statement.
    /// - Throws: ``PostgreSQLError``, with the place of the statement that was refused.
    @discardableResult
    public func run(_ statements: [Statement], deadline: Deadline) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        guard let first = statements.first else { return [] }
        try await takeTurn(deadline, first.place)
        defer { turns.release() }
        return try await outsideTransaction(Exchange(statements), deadline, first.place)
    }

    /// Runs a text of several statements without parameters, such as the steps of a schema. The server commits all of
    /// them together, or none, unless the text has commits of its own.
    ///
    /// - Throws: ``PostgreSQLError``
    public func runScript(
        _ text: String, deadline: Deadline, file: String = #fileID, line: Int = #line
    ) async throws(PostgreSQLError) {
        let script = Statement(text, file: file, line: line)
        try await takeTurn(deadline, script.place)
        defer { turns.release() }
        _ = try await outsideTransaction(Exchange([script], .script), deadline, script.place)
    }

    private func outsideTransaction(
        _ exchange: Exchange, _ deadline: Deadline, _ place: CodePlace
    ) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        let results = try await perform(exchange, commits: true, deadline, place)
        guard link.isOutsideTransaction else {
            finish()
            throw PostgreSQLError(.misuse("a statement left a transaction open: use transaction(_:)"), at: place)
        }
        return results
    }

    nonisolated func takeTurn(_ deadline: Deadline, _ place: CodePlace) async throws(PostgreSQLError) {
        do throws(ConnectionFailure) {
            try await turns.take(until: deadline, on: time, for: .read)
        } catch {
            throw PostgreSQLError(.waiting(error), at: place)
        }
    }

    // MARK: Transactions

    /// Begins a transaction of the task that has the turn.
    ///
    /// - Returns: its number.
    func begin(
        _ options: TransactionOptions, _ deadline: Deadline, _ place: CodePlace
    ) async throws(PostgreSQLError) -> Int {
        let begin = Statement(options.begin, file: place.file, line: place.line)
        transaction = (transaction.number + 1, true, nil)
        _ = try await perform(Exchange([begin]), commits: false, deadline, place)
        return transaction.number
    }

    /// Runs statements of a transaction.
    func run(
        _ statements: [Statement], in number: Int, _ deadline: Deadline
    ) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        guard let place = statements.first?.place else { return [] }
        guard transaction.isOpen, transaction.number == number else {
            throw PostgreSQLError(.misuse("the transaction of this statement has ended"), at: place)
        }
        do throws(PostgreSQLError) {
            let results = try await perform(Exchange(statements), commits: false, deadline, place)
            guard !link.isOutsideTransaction else {
                finish()
                throw PostgreSQLError(.misuse("a statement ended the transaction that it was in"), at: place)
            }
            return results
        } catch {
            transaction.failure = transaction.failure ?? error
            throw error
        }
    }

    /// Commits the transaction.
    func commit(_ deadline: Deadline, _ place: CodePlace) async throws(PostgreSQLError) {
        transaction.isOpen = false
        let commit = Statement("COMMIT", file: place.file, line: place.line)
        let results = try await perform(Exchange([commit]), commits: true, deadline, place)
        // The commit of a transaction with a refused statement is a rollback, and no error.
        guard results.first?.command == "COMMIT" else {
            throw transaction.failure ?? PostgreSQLError(.notCommitted, at: place)
        }
    }

    /// Ends the transaction without its changes, also when the task is canceled. A connection that can't do that is
    /// closed, which has the server do it.
    func rollBack(_ place: CodePlace) async {
        transaction.isOpen = false
        guard !isClosed, !link.isOutsideTransaction else { return }
        // A task of its own, which is not canceled.
        await Task {
            let deadline = Deadline(after: timing.grace, on: time)
            let rollBack = Statement("ROLLBACK", file: place.file, line: place.line)
            do throws(PostgreSQLError) {
                _ = try await perform(Exchange([rollBack]), commits: false, deadline, place)
            } catch {
                finish()
            }
        }.value
    }

    static func first(
        _ results: [PostgreSQLRows], _ place: CodePlace
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        guard results.count == 1 else {
            throw PostgreSQLError(.misuse("a statement had \(results.count) answers"), at: place)
        }
        return results[0]
    }

    // MARK: Exchanges

    private func finish() {
        isClosed = true
        link.finish()
    }

    /// Sends statements, and waits for all answers.
    ///
    /// - Parameters:
    ///   - new: the statements.
    ///   - commits: whether their success commits something.
    ///   - deadline: the end of the wait.
    ///   - place: for errors without a statement.
    /// - Returns: the rows of each statement.
    /// - Throws: ``PostgreSQLError``
    private func perform(
        _ new: Exchange, commits: Bool, _ deadline: Deadline, _ place: CodePlace
    ) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        for statement in new.statements { try statement.check() }
        do throws(ConnectionFailure) {
            try await exchanges.take(until: deadline, on: time, for: .read)
        } catch {
            throw PostgreSQLError(.waiting(error), at: place)
        }
        defer { exchanges.release() }
        guard !isClosed else { throw PostgreSQLError(.closed, at: place) }
        guard !Task.isCancelled else { throw PostgreSQLError(.canceled, at: place) }
        guard deadline.remaining(on: time) > .zero else { throw PostgreSQLError(.timedOut, at: place) }
        exchange = new
        isExchanging = true
        defer { isExchanging = false }
        do throws(PostgreSQLError) {
            try await pump(until: deadline)
        } catch {
            try await end(because: error.reason, commits: commits, place)
        }
        let isUnconfirmed = link.takeUnconfirmed()
        if isClosed { link.finish() }
        if let failure = exchange.failure { throw failure }
        guard !isUnconfirmed else { throw PostgreSQLError(.commitUnknown(.unconfirmed), at: place) }
        return exchange.results
    }

    /// Ends an exchange whose wait has ended or whose connection has failed. Returns when all answers came anyway.
    private func end(
        because cause: PostgreSQLError.Reason, commits: Bool, _ place: CodePlace
    ) async throws(PostgreSQLError) {
        let isInterrupted = cause == .timedOut || cause == .canceled
        // Statements without their end commit nothing; only a new connection can be without them.
        if isInterrupted, exchange.isEnded, !isClosed { await Task { await settle() }.value }
        if exchange.isComplete {
            guard isInterrupted, exchange.failure?.report?.state == .queryCanceled else { return }
            throw PostgreSQLError(cause, at: exchange.failure?.place)
        }
        let reason = exchange.failure?.reason ?? (isClosed ? .closed : cause)
        finish()
        // After a refused statement, the server commits nothing, unless it is about to end itself.
        let isRefused = exchange.failure?.report?.leavesConnection ?? false
        let isUnknown = commits && exchange.mayHaveLeft && !isRefused
        throw PostgreSQLError(isUnknown ? .commitUnknown(reason) : reason, at: exchange.failure?.place ?? place)
    }

    /// Asks the server to cancel the statement under way, and waits a moment for its answers.
    private func settle() async {
        let deadline = Deadline(after: timing.grace, on: time)
        guard let cancellation else { return }
        let request = FirstAnswer<Bool, ConnectionFailure>()
        cancelThread.async { @Sendable in request.give(.success(cancellation.request())) }
        do throws(PostgreSQLError) { try await pump(until: deadline) } catch { return }
        // A request that arrives late would cancel the next statement.
        guard case .success(true) = await request.answer(until: deadline, on: time, for: .read) else {
            isClosed = true
            return
        }
    }

    /// Goes on with the exchange until it is complete.
    private func pump(until deadline: Deadline) async throws(PostgreSQLError) {
        while !exchange.isComplete {
            let isEverythingGone: Bool
            do throws(LibraryConnection.Failure) {
                try queue()
                isEverythingGone = try link.flush()
                exchange.noteFlush(isEverythingGone: isEverythingGone)
                if try receive() { continue }
            } catch {
                throw PostgreSQLError(.connectionLost(error.text))
            }
            do throws(ConnectionFailure) {
                let wait = DescriptorWait(link.socket)
                try await wait(for: isEverythingGone ? .reading : .either, deadline: deadline, .read, on: time)
            } catch {
                throw PostgreSQLError(.waiting(error))
            }
            do throws(LibraryConnection.Failure) {
                exchange.noteFlushUnderWay()
                try link.consume()
            } catch {
                try takeLastWords(error)
            }
        }
    }

    private func queue() throws(LibraryConnection.Failure) {
        while true {
            switch exchange.step() {
            case .send(let index): try link.send(exchange.statements[index])
            case .requestFlush: try link.requestFlush()
            case .synchronize: try link.synchronize()
            case .sendScript: try link.sendScript(exchange.statements[0].text)
            case .receive: return
            }
        }
    }

    /// Takes the answers that have arrived.
    ///
    /// - Returns: whether there was one.
    private func receive() throws(LibraryConnection.Failure) -> Bool {
        var hasAnswers = false
        while exchange.expectsAnswer, !link.isBusy {
            guard exchange.take(link.next(exchange.place)) else { throw link.failure }
            hasAnswers = true
        }
        if exchange.isComplete, exchange.isScript { try link.endScript() }
        return hasAnswers
    }

    /// Takes what the server said before the connection failed, such as why it ends the connection.
    private func takeLastWords(_ failure: LibraryConnection.Failure) throws(PostgreSQLError) {
        do throws(LibraryConnection.Failure) { _ = try receive() } catch {}
        guard !exchange.isComplete else { return }
        throw PostgreSQLError(.connectionLost(failure.text))
    }
}

/// Times of a connection.
public struct PostgreSQLTiming: Sendable {
    /// How long a statement whose task no longer waits may take to end at the server, and a rollback to be answered,
    /// before the connection is closed.
    public var grace: Duration

    /// Sets the times.
    public init(grace: Duration = .seconds(5)) { self.grace = grace }
}
