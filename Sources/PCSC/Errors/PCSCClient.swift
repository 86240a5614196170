/// A program that uses PC/SC.
public struct PCSCClient: Hashable, Sendable, CustomStringConvertible {
    /// The program's name, as proc(5) has it in `comm`: at most 15 characters.
    public let name: String
    public let pid: Int32

    public init(name: String, pid: Int32) { (self.name, self.pid) = (name, pid) }

    public var description: String { "\(name) (process \(pid))" }

    /// What to type so that it lets the card go. Nobody else's program is ever ended by this library.
    public var remedy: String {
        // A killed scdaemon is started again by gpg-agent, and takes the card only when somebody asks for it.
        name == "scdaemon" ? "gpgconf --kill scdaemon" : "kill \(pid)"
    }
}
