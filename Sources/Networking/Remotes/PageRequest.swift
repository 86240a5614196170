/// Which part of a long list is asked for.
public struct PageRequest: Hashable, Sendable {
    /// From 1.
    public let number: Int
    /// The most elements, 1...100: more a store does not give.
    public let size: Int

    public init(number: Int = 1, size: Int = 25) {
        self.number = max(1, number)
        self.size = min(max(1, size), 100)
    }

    public var next: PageRequest { PageRequest(number: number + 1, size: size) }

    func add(to parameters: inout Parameters) {
        parameters.add("page", JSONValue(number))
        parameters.add("per_page", JSONValue(size))
    }
}
