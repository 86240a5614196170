import CToken
import Concurrency
import Dispatch
import Glibc
import Synchronization

/// A PKCS#11 library, which is opened on first use and stays open. Its calls block, and run one after the other on a
/// thread outside Swift's concurrency.
final class TokenModule: Sendable {
    /// The table of a library that is never closed: it never changes.
    struct Functions: Sendable {
        // An UnsafePointer is not Sendable; what it points at is constant, and the library keeps it for good.
        nonisolated(unsafe) let table: UnsafePointer<cpkcs11_functions>
    }

    let path: String
    private let queue = DispatchQueue(label: "pkcs11-calls")
    private let isStuck = Atomic(false)
    private let functions = Mutex<Functions?>(nil)

    /// The longest time of a call, in seconds. A token on a smart card takes one or two.
    private static let limit = 30
    private static let known = Mutex<[String: TokenModule]>([:])

    private init(_ path: String) { self.path = path }

    /// The library of a path. One process has it once.
    static func at(_ path: String) -> TokenModule {
        known.withLock { known in
            if let module = known[path] { return module }
            let module = TokenModule(path)
            known[path] = module
            return module
        }
    }

    /// Runs a call, and waits for it.
    ///
    /// Dispatch keeps the time: a library that blocks its thread must not hold up the end of the wait. After such an
    /// end it is not called any more.
    ///
    /// - Throws: ``TokenError``
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Functions) throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        guard !isStuck.load(ordering: .acquiring) else { throw .timedOut(module: path) }
        let answer = FirstAnswer<Value, TokenError>()
        queue.async { @Sendable in
            answer.give(
                Result { () throws(TokenError) -> Value in
                    try body(try self.open())
                })
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.limit)) { @Sendable [weak answer] in
            guard answer?.give(.failure(.timedOut(module: self.path))) == true else { return }
            self.isStuck.store(true, ordering: .releasing)
        }
        return try await withCheckedContinuation { answer.wait($0) }.get()
    }

    /// Runs a call without waiting for it.
    func start(_ body: @escaping @Sendable (Functions) -> Void) {
        queue.async { @Sendable in
            if let functions = self.functions.withLock({ $0 }) { body(functions) }
        }
    }

    /// Opens the library, unless that is done.
    private func open() throws(TokenError) -> Functions {
        if let known = functions.withLock({ $0 }) { return known }
        var table: UnsafePointer<cpkcs11_functions>?
        var code: UInt = 0
        if let reason = cpkcs11_load(path, &table, &code) {
            throw .module(path: path, reason: String(cString: reason))
        }
        guard let table else { throw .module(path: path, reason: "it gives out no functions") }
        let opened = Functions(table: table)
        var arguments = cpkcs11_initialize_arguments()
        // CKF_OS_LOCKING_OK: other code of the process may use the library, too.
        arguments.flags = 0x2
        let result = withUnsafeMutablePointer(to: &arguments) { table.pointee.initialize(UnsafeMutableRawPointer($0)) }
        // CKR_CRYPTOKI_ALREADY_INITIALIZED
        guard result == 0 || result == 0x191 else {
            throw .module(path: path, reason: "C_Initialize answers 0x" + String(result, radix: 16))
        }
        functions.withLock { $0 = opened }
        _ = Self.finishing
        return opened
    }

    /// Ends the libraries before the process ends, in which they would otherwise clean up behind libcrypto.
    private static let finishing: Void = { _ = atexit(finishTokenModules) }()

    fileprivate static func finish() {
        for module in known.withLock({ Array($0.values) }) where !module.isStuck.load(ordering: .acquiring) {
            guard let functions = module.functions.withLock({ $0 }) else { continue }
            _ = functions.table.pointee.finalize(nil)
        }
    }
}

// A function, not a closure: a closure inherits the isolation of its context.
private func finishTokenModules() { TokenModule.finish() }

/// What a token is called, and its state.
struct TokenInfo: Hashable, Sendable {
    let slot: UInt
    let label: String
    let serial: String
    let manufacturer: String
    let model: String
    let flags: UInt

    /// CKF_LOGIN_REQUIRED
    var needsLogin: Bool { flags & 0x4 != 0 }
    /// CKF_USER_PIN_COUNT_LOW
    var hasFewTries: Bool { flags & 0x1_0000 != 0 }
    /// CKF_USER_PIN_FINAL_TRY
    var hasLastTry: Bool { flags & 0x2_0000 != 0 }
    /// CKF_USER_PIN_LOCKED
    var isLocked: Bool { flags & 0x4_0000 != 0 }
    /// CKF_TOKEN_INITIALIZED
    var isInitialized: Bool { flags & 0x400 != 0 }

    /// Nil when the token can't be asked.
    init?(_ slot: UInt, _ functions: TokenModule.Functions) {
        var info = cpkcs11_token_info()
        guard functions.table.pointee.get_token_info(slot, &info) == 0 else { return nil }
        self.slot = slot
        label = withUnsafeBytes(of: info.label) { Self.text($0) }
        serial = withUnsafeBytes(of: info.serial) { Self.text($0) }
        manufacturer = withUnsafeBytes(of: info.manufacturer) { Self.text($0) }
        model = withUnsafeBytes(of: info.model) { Self.text($0) }
        flags = info.flags
    }

    /// The bytes as text, without the blanks at the end.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let end = bytes.lastIndex { $0 != 0x20 && $0 != 0 }.map { $0 + 1 } ?? 0
        return String(decoding: bytes.prefix(end), as: UTF8.self)
    }

    /// Whether the token is the one of a URI.
    func fits(_ uri: TokenURI) -> Bool {
        func agrees(_ wanted: String?, _ found: String) -> Bool { wanted == nil || wanted == found }
        return agrees(uri.token, label) && agrees(uri.serial, serial) && agrees(uri.manufacturer, manufacturer)
            && agrees(uri.model, model)
    }

    /// The tokens that are there.
    ///
    /// - Throws: ``TokenError``
    static func all(_ functions: TokenModule.Functions) throws(TokenError) -> [TokenInfo] {
        var count: UInt = 0
        let table = functions.table.pointee
        var code = table.get_slot_list(1, nil, &count)
        guard code == 0 else { throw .failed("C_GetSlotList", code: code) }
        guard count > 0 else { return [] }
        let room = min(count, 1024)
        var slots = [UInt](repeating: 0, count: Int(room))
        count = room
        code = table.get_slot_list(1, &slots, &count)
        guard code == 0 else { throw .failed("C_GetSlotList", code: code) }
        return slots.prefix(Int(min(count, room))).compactMap { TokenInfo($0, functions) }.filter(\.isInitialized)
    }
}
