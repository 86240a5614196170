// Made by Scripts/generate from Sources/Networking/Models/Account/Site.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``Site``.
public struct SiteRecord: KeyedObject {
    public static let databaseTableName = "site"
    public static let columnNames = [
        "id",
        "name",
        "description",
        "url",
        "jetpack",
        "jetpackConnection",
        "wasEcommerceTrial",
        "planProductSlug",
        "planProductNameShort",
        "capabilitiesOwnSite",
        "capabilitiesManageOptions",
        "optionsAdminURL",
        "optionsLoginURL",
        "optionsFrameNonce",
        "optionsTimezone",
        "optionsGmtOffset",
        "optionsIsWPComStore",
        "optionsWoocommerceIsActive",
        "optionsJetpackConnectionActivePlugins",
        "optionsBlogPublic",
        "optionsCanBlaze",
    ]
    public static let keyColumnNames = ["id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SiteRecord>] = []
    public static let columns = Columns()

    public var id: Int64
    public var name: String
    public var description: String
    public var url: String
    public var jetpack: Bool
    public var jetpackConnection: Bool
    public var wasEcommerceTrial: Bool
    public var planProductSlug: String?
    public var planProductNameShort: String?
    public var capabilitiesOwnSite: Bool?
    public var capabilitiesManageOptions: Bool?
    public var optionsAdminURL: String
    public var optionsLoginURL: String
    public var optionsFrameNonce: String
    public var optionsTimezone: String
    public var optionsGmtOffset: ExactDecimal?
    public var optionsIsWPComStore: Bool
    public var optionsWoocommerceIsActive: Bool
    public var optionsJetpackConnectionActivePlugins: String
    public var optionsBlogPublic: Int64?
    public var optionsCanBlaze: Bool

    public init(
        id: Int64,
        name: String,
        description: String,
        url: String,
        jetpack: Bool,
        jetpackConnection: Bool,
        wasEcommerceTrial: Bool,
        planProductSlug: String?,
        planProductNameShort: String?,
        capabilitiesOwnSite: Bool?,
        capabilitiesManageOptions: Bool?,
        optionsAdminURL: String,
        optionsLoginURL: String,
        optionsFrameNonce: String,
        optionsTimezone: String,
        optionsGmtOffset: ExactDecimal?,
        optionsIsWPComStore: Bool,
        optionsWoocommerceIsActive: Bool,
        optionsJetpackConnectionActivePlugins: String,
        optionsBlogPublic: Int64?,
        optionsCanBlaze: Bool
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.url = url
        self.jetpack = jetpack
        self.jetpackConnection = jetpackConnection
        self.wasEcommerceTrial = wasEcommerceTrial
        self.planProductSlug = planProductSlug
        self.planProductNameShort = planProductNameShort
        self.capabilitiesOwnSite = capabilitiesOwnSite
        self.capabilitiesManageOptions = capabilitiesManageOptions
        self.optionsAdminURL = optionsAdminURL
        self.optionsLoginURL = optionsLoginURL
        self.optionsFrameNonce = optionsFrameNonce
        self.optionsTimezone = optionsTimezone
        self.optionsGmtOffset = optionsGmtOffset
        self.optionsIsWPComStore = optionsIsWPComStore
        self.optionsWoocommerceIsActive = optionsWoocommerceIsActive
        self.optionsJetpackConnectionActivePlugins = optionsJetpackConnectionActivePlugins
        self.optionsBlogPublic = optionsBlogPublic
        self.optionsCanBlaze = optionsCanBlaze
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        name = try reader.value("name")
        description = try reader.value("description")
        url = try reader.value("url")
        jetpack = try reader.value("jetpack")
        jetpackConnection = try reader.value("jetpackConnection")
        wasEcommerceTrial = try reader.value("wasEcommerceTrial")
        planProductSlug = try reader.optional("planProductSlug")
        planProductNameShort = try reader.optional("planProductNameShort")
        capabilitiesOwnSite = try reader.optional("capabilitiesOwnSite")
        capabilitiesManageOptions = try reader.optional("capabilitiesManageOptions")
        optionsAdminURL = try reader.value("optionsAdminURL")
        optionsLoginURL = try reader.value("optionsLoginURL")
        optionsFrameNonce = try reader.value("optionsFrameNonce")
        optionsTimezone = try reader.value("optionsTimezone")
        optionsGmtOffset = try reader.optional("optionsGmtOffset")
        optionsIsWPComStore = try reader.value("optionsIsWPComStore")
        optionsWoocommerceIsActive = try reader.value("optionsWoocommerceIsActive")
        optionsJetpackConnectionActivePlugins = try reader.value("optionsJetpackConnectionActivePlugins")
        optionsBlogPublic = try reader.optional("optionsBlogPublic")
        optionsCanBlaze = try reader.value("optionsCanBlaze")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            name,
            description,
            url,
            jetpack,
            jetpackConnection,
            wasEcommerceTrial,
            planProductSlug,
            planProductNameShort,
            capabilitiesOwnSite,
            capabilitiesManageOptions,
            optionsAdminURL,
            optionsLoginURL,
            optionsFrameNonce,
            optionsTimezone,
            optionsGmtOffset,
            optionsIsWPComStore,
            optionsWoocommerceIsActive,
            optionsJetpackConnectionActivePlugins,
            optionsBlogPublic,
            optionsCanBlaze,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let id = RecordColumn<Int64>("id")
        public let name = RecordColumn<String>("name")
        public let description = RecordColumn<String>("description")
        public let url = RecordColumn<String>("url")
        public let jetpack = RecordColumn<Bool>("jetpack")
        public let jetpackConnection = RecordColumn<Bool>("jetpackConnection")
        public let wasEcommerceTrial = RecordColumn<Bool>("wasEcommerceTrial")
        public let planProductSlug = RecordColumn<String>("planProductSlug")
        public let planProductNameShort = RecordColumn<String>("planProductNameShort")
        public let capabilitiesOwnSite = RecordColumn<Bool>("capabilitiesOwnSite")
        public let capabilitiesManageOptions = RecordColumn<Bool>("capabilitiesManageOptions")
        public let optionsAdminURL = RecordColumn<String>("optionsAdminURL")
        public let optionsLoginURL = RecordColumn<String>("optionsLoginURL")
        public let optionsFrameNonce = RecordColumn<String>("optionsFrameNonce")
        public let optionsTimezone = RecordColumn<String>("optionsTimezone")
        public let optionsGmtOffset = RecordColumn<ExactDecimal>("optionsGmtOffset")
        public let optionsIsWPComStore = RecordColumn<Bool>("optionsIsWPComStore")
        public let optionsWoocommerceIsActive = RecordColumn<Bool>("optionsWoocommerceIsActive")
        public let optionsJetpackConnectionActivePlugins = RecordColumn<String>("optionsJetpackConnectionActivePlugins")
        public let optionsBlogPublic = RecordColumn<Int64>("optionsBlogPublic")
        public let optionsCanBlaze = RecordColumn<Bool>("optionsCanBlaze")
    }
}
