import CPostgreSQL
import Glibc

/// The functions of libpq, the client library of PostgreSQL. Loaded on first use.
struct PostgreSQLLibrary: Sendable {
    /// Function pointers of a library that is never closed: they never change.
    let functions: cpostgresql_functions

    /// Returns the installed library.
    ///
    /// - Throws: ``PostgreSQLError/Reason/libraryMissing(_:)``
    static func load() throws(PostgreSQLError) -> PostgreSQLLibrary { try loaded.get() }

    private static let loaded: Result<PostgreSQLLibrary, PostgreSQLError> = {
        var functions = cpostgresql_functions()
        if let missing = cpostgresql_load(&functions) {
            return .failure(PostgreSQLError(.libraryMissing(String(cString: missing))))
        }
        return .success(PostgreSQLLibrary(functions: functions))
    }()
}

/// A connection of libpq. It is closed with its last reference.
///
/// One task at a time calls it: the attempt that makes the connection, and after it the actor that has it.
final class LibraryConnection: @unchecked Sendable {
    // Unchecked, because a pointer of C is not Sendable: libpq has no state that connections share, and lets every
    // thread use a connection, one at a time, which the owner sees to.

    /// Why a connection can't go on, in words without values.
    struct Failure: Error {
        let text: String
    }

    /// How far a connection is.
    enum Progress: Sendable {
        case needsReading, needsWriting, connected, failed
    }

    private let functions: cpostgresql_functions
    /// Nil when it is closed.
    private var pointer: OpaquePointer?
    /// The library writes here while it is called.
    private let notices: UnsafeMutablePointer<cpostgresql_notices>

    /// Begins to connect. It blocks for the look-up of names.
    init?(_ library: PostgreSQLLibrary, to text: String) {
        functions = library.functions
        notices = .allocate(capacity: 1)
        notices.initialize(to: cpostgresql_notices(PQresultErrorField: functions.PQresultErrorField, is_unconfirmed: 0))
        pointer = withUnsafePointer(to: functions) { cpostgresql_start($0, text) }
        guard let pointer else { return nil }
        withUnsafePointer(to: functions) { cpostgresql_listen($0, pointer, notices) }
        // A refusal of a login has its code in the message alone.
        _ = functions.PQsetErrorVerbosity(pointer, Int32(CPOSTGRESQL_ERRORS_VERBOSE))
    }

    deinit {
        finish()
        notices.deallocate()
    }

    /// Closes the connection. The server ends a transaction that is open.
    func finish() {
        if let pointer { functions.PQfinish(pointer) }
        pointer = nil
    }

    /// Ends the stream in both directions, so that a wait for the connection ends.
    func shutDown() { shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: Connecting

    /// Goes on with connecting, which can block for the look-up of names.
    func poll() -> Progress {
        guard let pointer else { return .failed }
        return switch Int(functions.PQconnectPoll(pointer)) {
        case CPOSTGRESQL_POLLING_OK: .connected
        case CPOSTGRESQL_POLLING_READING: .needsReading
        case CPOSTGRESQL_POLLING_WRITING: .needsWriting
        default: .failed
        }
    }

    /// Prepares the connected connection for calls that do not block.
    func prepare() -> Bool {
        guard let pointer else { return false }
        return functions.PQsetnonblocking(pointer, 1) == 0 && functions.PQenterPipelineMode(pointer) == 1
    }

    /// What a request to cancel needs; nil when the library has none.
    func cancellation() -> LibraryCancellation? {
        pointer.flatMap { functions.PQgetCancel($0) }.map { LibraryCancellation($0, functions) }
    }

    // MARK: State

    var isUsable: Bool {
        pointer.map { Int(functions.PQstatus($0)) == CPOSTGRESQL_CONNECTION_OK } ?? false
    }

    /// Whether the library has given the connection up.
    var hasFailed: Bool {
        pointer.map { Int(functions.PQstatus($0)) == CPOSTGRESQL_CONNECTION_BAD } ?? true
    }

    /// The descriptor; negative without one.
    var socket: Int32 { pointer.map { functions.PQsocket($0) } ?? -1 }

    /// Whether the server has committed since the last call without the standby that it should have waited for.
    func takeUnconfirmed() -> Bool {
        defer { notices.pointee.is_unconfirmed = 0 }
        return notices.pointee.is_unconfirmed != 0
    }

    var isEncrypted: Bool { pointer.map { functions.PQsslInUse($0) != 0 } ?? false }

    /// 150018 for 15.18.
    var serverVersion: Int { pointer.map { Int(functions.PQserverVersion($0)) } ?? 0 }

    /// Whether no transaction is open.
    var isOutsideTransaction: Bool {
        pointer.map { Int(functions.PQtransactionStatus($0)) == CPOSTGRESQL_TRANSACTION_IDLE } ?? true
    }

    /// The library's last message: of connecting, where the server has no values yet.
    var message: String { pointer.flatMap { functions.PQerrorMessage($0) }.map { String(cString: $0) } ?? "" }

    /// Why the connection failed. The library's messages can end with what the server reported, which can have values:
    /// only the library's own words about the network are taken.
    var failure: Failure {
        let known = message.split(whereSeparator: \.isNewline).last { line in
            Self.ownWords.contains { line.hasPrefix($0) }
        }
        return Failure(text: known.map(String.init) ?? "the server closed it, or the network failed")
    }

    private static let ownWords = [
        "server closed the connection unexpectedly", "could not receive data from server: ",
        "could not send data to server: ", "SSL SYSCALL error: ", "SSL error: ", "SSL connection has been closed",
    ]

    // MARK: Sending

    /// Queues a statement.
    func send(_ statement: Statement) throws(Failure) {
        guard let pointer else { throw failure }
        let values = statement.parameters.map(\.encoded)
        // One buffer for all values, and a byte more, so that an empty value has an address, too.
        var buffer: [UInt8] = []
        var offsets: [Int?] = []
        for value in values {
            offsets.append(value == nil ? nil : buffer.count)
            buffer += value ?? []
        }
        buffer.append(0)
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let types = statement.parameters.map(\.type)
        let formats = [Int32](repeating: Self.binary, count: values.count)
        let isQueued = buffer.withUnsafeBytes { room -> Bool in
            let start = room.baseAddress?.assumingMemoryBound(to: CChar.self)
            let addresses = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return functions.PQsendQueryParams(
                pointer, statement.text, Int32(values.count), types, addresses, lengths, formats, Self.binary) == 1
        }
        guard isQueued else { throw failure }
    }

    private static let binary: Int32 = 1

    /// Asks the server to send the answers that it has.
    func requestFlush() throws(Failure) {
        guard let pointer, functions.PQsendFlushRequest(pointer) == 1 else { throw failure }
    }

    /// Ends the statements that were queued: outside a transaction, the server commits them here.
    func synchronize() throws(Failure) {
        guard let pointer, functions.PQpipelineSync(pointer) == 1 else { throw failure }
    }

    /// Queues a text of several statements. The connection has no other statements under way.
    func sendScript(_ text: String) throws(Failure) {
        guard let pointer, functions.PQexitPipelineMode(pointer) == 1, functions.PQsendQuery(pointer, text) == 1 else {
            throw failure
        }
    }

    /// Ends a script.
    func endScript() throws(Failure) {
        guard let pointer, functions.PQenterPipelineMode(pointer) == 1 else { throw failure }
    }

    /// Gives what is queued to the system.
    ///
    /// - Returns: whether nothing is left.
    func flush() throws(Failure) -> Bool {
        guard let pointer else { throw failure }
        switch functions.PQflush(pointer) {
        case 0: return true
        case 1: return false
        default: throw failure
        }
    }

    // MARK: Receiving

    /// Takes what has arrived.
    func consume() throws(Failure) {
        guard let pointer, functions.PQconsumeInput(pointer) == 1 else { throw failure }
    }

    /// Whether ``next()`` would block.
    var isBusy: Bool { pointer.map { functions.PQisBusy($0) != 0 } ?? false }

    /// The next part of the answers.
    func next(_ place: CodePlace) -> LibraryAnswer {
        guard let pointer else { return .failed }
        guard let result = functions.PQgetResult(pointer) else { return .end }
        defer { functions.PQclear(result) }
        switch Int(functions.PQresultStatus(result)) {
        case CPOSTGRESQL_COMMAND_OK, CPOSTGRESQL_TUPLES_OK, CPOSTGRESQL_EMPTY_QUERY:
            return .rows(rows(result, place))
        case CPOSTGRESQL_FATAL_ERROR:
            // The library makes such an answer by itself when the connection fails; it has no code.
            guard functions.PQresultErrorField(result, Int32(CPOSTGRESQL_FIELD_SQLSTATE)) != nil else {
                return .failed
            }
            return .refused(
                ServerReport { field in
                    functions.PQresultErrorField(result, field.code).map { String(cString: $0) }
                })
        case CPOSTGRESQL_PIPELINE_SYNC: return .synchronized
        case CPOSTGRESQL_PIPELINE_ABORTED: return .skipped
        default: return .unsupported
        }
    }

    private func rows(_ result: OpaquePointer, _ place: CodePlace) -> PostgreSQLRows {
        let (count, width) = (functions.PQntuples(result), functions.PQnfields(result))
        let columns = (0..<max(0, width)).map { column in
            PostgreSQLRows.Column(
                name: functions.PQfname(result, column).map { String(cString: $0) } ?? "",
                type: functions.PQftype(result, column))
        }
        var values: [[UInt8]?] = []
        values.reserveCapacity(Int(max(0, count)) * columns.count)
        for row in 0..<max(0, count) {
            for column in 0..<max(0, width) {
                guard functions.PQgetisnull(result, row, column) == 0,
                    let start = functions.PQgetvalue(result, row, column)
                else {
                    values.append(nil)
                    continue
                }
                let length = Int(max(0, functions.PQgetlength(result, row, column)))
                values.append(Array(UnsafeRawBufferPointer(start: start, count: length)))
            }
        }
        let affected = functions.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        let command = functions.PQcmdStatus(result).map { String(cString: $0) } ?? ""
        return PostgreSQLRows(
            columns: columns, values: values, count: Int(max(0, count)), affected: affected, command: command,
            place: place)
    }
}

/// A part of what the server answers.
enum LibraryAnswer {
    /// The answer to a statement.
    case rows(PostgreSQLRows)
    /// The server refused a statement.
    case refused(ServerReport)
    /// A statement did not run, because the server had refused one before it.
    case skipped
    /// Nothing more comes for this statement.
    case end
    /// The server has ended the statements up to the synchronization.
    case synchronized
    /// The connection has failed.
    case failed
    /// An answer to a statement that this library does not know, such as `COPY`.
    case unsupported
}

/// What a request to cancel needs to know of a connection. Any thread can use it.
final class LibraryCancellation: @unchecked Sendable {
    // Unchecked, because a pointer of C is not Sendable: the library only reads the object, and says that any thread
    // may.
    private let pointer: OpaquePointer
    private let functions: cpostgresql_functions

    fileprivate init(_ pointer: OpaquePointer, _ functions: cpostgresql_functions) {
        (self.pointer, self.functions) = (pointer, functions)
    }

    deinit { functions.PQfreeCancel(pointer) }

    /// Asks the server, over a connection of its own, to cancel what it does. It blocks.
    ///
    /// - Returns: whether the server has the request.
    func request() -> Bool {
        var message = [CChar](repeating: 0, count: 256)
        return functions.PQcancel(pointer, &message, Int32(message.count)) == 1
    }
}

extension ServerField {
    /// The code in the server's message.
    fileprivate var code: Int32 {
        let code =
            switch self {
            case .severity: CPOSTGRESQL_FIELD_SEVERITY
            case .state: CPOSTGRESQL_FIELD_SQLSTATE
            case .message: CPOSTGRESQL_FIELD_MESSAGE
            case .detail: CPOSTGRESQL_FIELD_DETAIL
            case .position: CPOSTGRESQL_FIELD_POSITION
            case .table: CPOSTGRESQL_FIELD_TABLE
            case .column: CPOSTGRESQL_FIELD_COLUMN
            case .constraint: CPOSTGRESQL_FIELD_CONSTRAINT
            }
        return Int32(code)
    }
}
