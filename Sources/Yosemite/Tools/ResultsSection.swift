/// The objects of a list that have one section name, in their order. The section of a list that has no sections is
/// named "".
public struct ResultsSection<Model: Equatable & Sendable>: RandomAccessCollection, Sendable {
    public let name: String
    let entries: [ResultsEntry<Model>]

    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }

    public subscript(position: Int) -> Model { entries[position].model }
}

extension ResultsSection: Equatable {
    public static func == (first: Self, second: Self) -> Bool {
        first.name == second.name && first.elementsEqual(second)
    }
}
