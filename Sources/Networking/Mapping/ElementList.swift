/// The elements of a list that could be read, and what was wrong with the others. One bad element does not take the
/// list with it.
public struct ElementList<Element> {
    public let elements: [Element]
    /// In the order of the list; each says where it stands.
    public let rejected: [DecodingFailure]

    public init(elements: [Element], rejected: [DecodingFailure] = []) {
        (self.elements, self.rejected) = (elements, rejected)
    }

    /// The same with other elements.
    public func map<Other>(_ transform: ([Element]) -> [Other]) -> ElementList<Other> {
        ElementList<Other>(elements: transform(elements), rejected: rejected)
    }
}

extension ElementList: Sendable where Element: Sendable {}
extension ElementList: Equatable where Element: Equatable {}
extension ElementList: Hashable where Element: Hashable {}
