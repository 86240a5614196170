internal import Glibc

/// Why the issuer's ledger file could not be used.
public enum IssuerLedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A call of the operating system failed.
    case system(call: String, path: String, errno: Int32)
    /// Another program holds the file for longer than an entry takes.
    case busy(path: String)
    /// A whole line that is no entry: somebody else wrote into the file. The first line is 1.
    case malformedLine(Int, path: String)

    public var description: String {
        switch self {
        case .system(let call, let path, let errno):
            "issuer ledger \(path): \(call): \(String(cString: strerror(errno)))"
        case .busy(let path): "issuer ledger \(path): another program does not let go of it: end that program"
        case .malformedLine(let line, let path):
            "issuer ledger \(path), line \(line): not an entry: mend the line, or remove the file to begin a new book"
        }
    }
}
