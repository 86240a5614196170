import CPCSC
import Files
import Glibc

/// A program that uses PC/SC.
public struct PCSCClient: Hashable, Sendable, CustomStringConvertible {
    /// The program's name, as proc(5) has it in `comm`: at most 15 characters.
    public let name: String
    public let pid: Int32

    /// Takes the name of a program and the number of its process.
    public init(name: String, pid: Int32) { (self.name, self.pid) = (name, pid) }

    public var description: String { "\(name) (process \(pid))" }

    /// The command that makes the program release the card. This library never ends another program.
    public var remedy: String {
        // gpg-agent restarts a killed scdaemon, which opens the card only when needed.
        name == "scdaemon" ? "gpgconf --kill scdaemon" : "kill \(pid)"
    }
}

/// Finds other programs that use PC/SC. pcscd does not list them, but each has libpcsclite in its memory map, which
/// Linux shows to the same user and to root (proc(5), `maps`).
///
/// The search takes some milliseconds: use it after a card could not be accessed, not before each payment.
public struct PCSCClientFinder: Sendable {
    private static let library = "/libpcsclite.so"
    /// The most bytes to read of a program's memory map.
    private static let longestList = 1 << 22

    private let processes: String
    private let ownPID: Int32

    /// - Parameter root: the start of the system's file tree, without a trailing slash.
    public init(root: String = "") { self.init(root: root, ownPID: getpid()) }

    init(root: String, ownPID: Int32) {
        processes = "\(root)/proc"
        self.ownPID = ownPID
    }

    /// Returns every other program of this user, or as root of any user, that uses PC/SC, by process ID.
    public func clients() -> [PCSCClient] {
        processNumbers().filter { $0 != ownPID && usesLibrary($0) }.map { pid in
            let name = (try? Files.contents("\(processes)/\(pid)/comm", atMost: 64)).map {
                String(decoding: $0, as: UTF8.self)
            }
            let printable = (name ?? "").unicodeScalars.filter { $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }
            return PCSCClient(
                name: printable.isEmpty ? "a program" : String(String.UnicodeScalarView(printable)), pid: pid)
        }
    }

    private func processNumbers() -> [Int32] {
        ((try? Files.names(in: processes)) ?? []).compactMap { Int32($0) }.sorted()
    }

    private func usesLibrary(_ pid: Int32) -> Bool {
        guard let maps = try? Files.contents("\(processes)/\(pid)/maps", atMost: Self.longestList) else { return false }
        return maps.split(separator: UInt8(ascii: "\n")).contains { line in
            // The path is the last field, and the file name starts at its last slash.
            line.lastIndex(of: UInt8(ascii: "/")).map { line[$0...].starts(with: Self.library.utf8) } ?? false
        }
    }
}

/// The functions of libpcsclite, the client library of pcscd. Loaded on first use.
public struct PCSCLibrary: Sendable {
    /// Function pointers of a library that is never closed: they never change.
    let functions: cpcsc_functions

    init(functions: cpcsc_functions) { self.functions = functions }

    /// Returns the installed library.
    ///
    /// - Throws: ``PCSCError/libraryMissing(_:)``
    public static func load() throws(PCSCError) -> PCSCLibrary { try loaded.get() }

    private static let loaded: Result<PCSCLibrary, PCSCError> = {
        var functions = cpcsc_functions()
        if let missing = cpcsc_load(&functions) { return .failure(.libraryMissing(String(cString: missing))) }
        return .success(PCSCLibrary(functions: functions))
    }()
}
