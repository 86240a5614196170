extension StringProtocol {
    /// Returns the text with some scalars replaced.
    ///
    /// - Parameter replacement: returns the text that replaces a scalar; nil to keep the scalar.
    /// - Returns: the text.
    public func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        for scalar in unicodeScalars {
            if let text = replacement(scalar) { result += text } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// The character reference for `&`, `<`, `>`, and `"`, which have a meaning in HTML and XML; nil for others.
    public var markupReference: String? {
        switch self {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: nil
        }
    }
}
