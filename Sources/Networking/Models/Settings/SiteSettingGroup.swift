/// The groups that settings are asked for by.
public enum SiteSettingGroup: String, Codable, Hashable, Sendable, CaseIterable {
    case general
    case product = "products"
    case tax
    case advanced
}
