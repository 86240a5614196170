public import Determinism
internal import Hardware
internal import Storage

/// A card reader that was used and not forgotten.
public struct RememberedCardReader: Hashable, Sendable, Identifiable {
    /// As the reader itself is named.
    public let id: String
    public let name: String
    /// When it became the last used one.
    public let usedAt: Timestamp

    public init(id: String, name: String, usedAt: Timestamp) { (self.id, self.name, self.usedAt) = (id, name, usedAt) }

    init(_ record: RememberedReader) { self.init(id: record.id, name: record.name, usedAt: record.usedAt) }
}

extension [RememberedCardReader] {
    /// Chooses the reader to use.
    ///
    /// - Parameter ids: the readers that are there.
    /// - Returns: the last used one of them; the first one when none was used before.
    public func preferred(among ids: [String]) -> String? {
        first { ids.contains($0.id) }?.id ?? ids.first
    }
}
