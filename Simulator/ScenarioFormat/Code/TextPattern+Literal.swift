extension TextPattern: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
