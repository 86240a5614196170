/// A type whose values may be left out of an answer: then they are empty.
protocol EmptyWhenAbsent {
    static var empty: Self { get }
}

extension Array: EmptyWhenAbsent {
    static var empty: [Element] { [] }
}

extension Dictionary: EmptyWhenAbsent {
    static var empty: [Key: Value] { [:] }
}
