public import Determinism

// @record key(siteID, entity)
/// How far what is kept of a site agrees with the site.
public struct SynchronizationMark: Hashable, Sendable {
    public let siteID: Int64
    /// What was synchronized, for example `order`.
    public let entity: String
    /// When the site was asked.
    public let synchronizedAt: Timestamp
    /// Changes up to this moment are here; nil when that is not known.
    public let modifiedUpTo: Timestamp?

    // Made by Scripts/generate.
    public init(siteID: Int64, entity: String, synchronizedAt: Timestamp, modifiedUpTo: Timestamp?) {
        self.siteID = siteID
        self.entity = entity
        self.synchronizedAt = synchronizedAt
        self.modifiedUpTo = modifiedUpTo
    }
    // End of what was made.
}
