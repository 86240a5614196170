public import Determinism
public import Money
public import Text

/// A type with fake values for tests.
public protocol Fakeable {
    static func fake(from source: inout FakeSource) -> Self
}

extension Fakeable {
    /// Returns an empty value: zeros, empty texts and lists, and nil for optionals.
    public static func fake() -> Self {
        var source = FakeSource.empty
        return fake(from: &source)
    }

    /// Returns random values, including awkward ones. The same seed returns the same values.
    public static func fake(seed: UInt64) -> Self {
        var source = FakeSource(seed: seed)
        return fake(from: &source)
    }
}

extension Int64: Fakeable {
    public static func fake(from source: inout FakeSource) -> Int64 { source.number() }
}

extension Bool: Fakeable {
    public static func fake(from source: inout FakeSource) -> Bool { source.index(below: 2) == 1 }
}

extension String: Fakeable {
    public static func fake(from source: inout FakeSource) -> String { source.text() }
}

extension ExactDecimal: Fakeable {
    public static func fake(from source: inout FakeSource) -> ExactDecimal { source.decimal() }
}

extension Timestamp: Fakeable {
    public static func fake(from source: inout FakeSource) -> Timestamp {
        Timestamp(milliseconds: Int64(source.index(below: .max)) * 1000)
    }
}

extension CivilDate: Fakeable {
    public static func fake(from source: inout FakeSource) -> CivilDate {
        CivilDate(
            year: 1970 + source.index(below: 130), month: 1 + source.index(below: 12), day: 1 + source.index(below: 28),
            hour: source.index(below: 24), minute: source.index(below: 60), second: source.index(below: 60))
    }
}

extension JSONValue: Fakeable {
    public static func fake(from source: inout FakeSource) -> JSONValue {
        switch source.index(below: 5) {
        case 1: .bool(source.index(below: 2) == 1)
        case 2: .number(source.decimal().description)
        case 3: .list([.text(source.text()), .null, .number("1e400")])
        case 4: .object([.init(source.text(), .text(source.text())), .init("", .object([]))])
        default: .text(source.text())
        }
    }
}

extension Optional: Fakeable where Wrapped: Fakeable {
    public static func fake(from source: inout FakeSource) -> Wrapped? {
        source.index(below: 3) == 0 ? nil : .some(.fake(from: &source))
    }
}

extension Array: Fakeable where Element: Fakeable {
    public static func fake(from source: inout FakeSource) -> [Element] {
        (0..<source.index(below: 4)).map { _ in .fake(from: &source) }
    }
}
