/// Which part of a long list is asked for.
public struct PageRequest: Hashable, Sendable {
    /// The most elements that a store gives at once.
    public static let largest = 100

    /// From 1.
    public let number: Int
    /// The most elements, 1...100.
    public let size: Int

    public init(number: Int = 1, size: Int = 25) {
        self.number = max(1, number)
        self.size = min(max(1, size), Self.largest)
    }

    public var next: PageRequest { PageRequest(number: number + 1, size: size) }

    func add(to parameters: inout Parameters) {
        parameters.add("page", JSONValue(number))
        parameters.add("per_page", JSONValue(size))
    }
}
