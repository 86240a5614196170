/// A name that no feature has.
public struct FeatureOverrideError: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: String
    /// The one that was probably meant.
    public let nearest: String?
    /// All that there are.
    public let known: [String]

    public var description: String {
        "there is no feature '\(name.prefix(40))': "
            + (nearest.map { "did you mean '\($0)'?" } ?? "the features are " + known.joined(separator: ", "))
    }
}
