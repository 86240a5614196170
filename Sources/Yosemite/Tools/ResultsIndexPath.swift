/// Where an object is in a list of sections.
public struct ResultsIndexPath: Hashable, Comparable, Sendable {
    /// The number of the section, from 0.
    public let section: Int
    /// The number of the object in its section, from 0.
    public let item: Int

    public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

    public static func < (first: ResultsIndexPath, second: ResultsIndexPath) -> Bool {
        (first.section, first.item) < (second.section, second.item)
    }
}
