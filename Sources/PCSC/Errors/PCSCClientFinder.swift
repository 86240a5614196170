internal import Files
internal import Glibc

/// Finds out who else uses PC/SC: pcscd tells nobody, but a program that does has libpcsclite in its memory, and Linux
/// shows that to the same user and to root (proc(5), `maps`).
///
/// A look takes some milliseconds. It is worth them when a card could not be had, and not on the way to one.
public struct PCSCClientFinder: Sendable {
    private static let library = "/libpcsclite.so"
    /// So much of a program's list of mappings is looked at.
    private static let longestList = 1 << 22

    private let processes: String
    private let ownPID: Int32

    /// - Parameter root: where the system's file tree begins, without a slash at its end.
    public init(root: String = "") { self.init(root: root, ownPID: getpid()) }

    init(root: String, ownPID: Int32) {
        processes = "\(root)/proc"
        self.ownPID = ownPID
    }

    /// Every other program of this user, or with root's rights of any user, that uses PC/SC; by process number.
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
            // The path is what comes last, and the name of the file begins with the last slash.
            line.lastIndex(of: UInt8(ascii: "/")).map { line[$0...].starts(with: Self.library.utf8) } ?? false
        }
    }
}
