import FoundationEssentials

/// Batches and results as JSON with sorted keys, so that equal values are equal bytes.
public enum BatchCoding {
    /// Returns the bytes of a value; none for one that JSON can't hold, such as a number that is no number.
    public static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    /// Returns the value of bytes; nil for other bytes.
    public static func value<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
