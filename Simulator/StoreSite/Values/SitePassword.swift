/// A password or a token of the simulated site. It has no textual form.
public struct SitePassword: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String

    public init(_ text: String) { self.text = text }

    public var description: String { "••••" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }

    func matches(_ other: some StringProtocol) -> Bool { text == other }

    /// Application passwords are shown in groups, and compared without what parts them.
    func matchesApplicationPassword(_ other: some StringProtocol) -> Bool {
        func letters(_ text: some StringProtocol) -> [UInt8] {
            text.utf8.filter {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        }
        let own = letters(text)
        return !own.isEmpty && own == letters(other)
    }
}
