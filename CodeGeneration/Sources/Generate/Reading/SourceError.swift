/// What cannot be read or generated, and where it stands.
struct SourceError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// 1 and up.
    let line: Int
    let reason: String

    var description: String { "\(file):\(line): error: \(reason)" }
}
