public import Settings

extension MessageProfile {
    /// Reads a profile from a file.
    ///
    /// - Parameter path: the path of a regular file.
    /// - Throws: ``MessageProfileError`` with every mistake.
    public init(path: String) throws(MessageProfileError) {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(path: path) } catch {
            throw MessageProfileError([error])
        }
        try self.init(document)
    }

    /// Reads a profile from a text; `file` is the name of the file for errors.
    ///
    /// - Throws: ``MessageProfileError`` with every mistake.
    public init(text: String, file: String) throws(MessageProfileError) {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(text: text, file: file) } catch {
            throw MessageProfileError([error])
        }
        try self.init(document)
    }

    /// Reads a shipped profile.
    ///
    /// - Returns: the profile; nil when none has this name.
    public static func shipped(_ name: String) -> MessageProfile? {
        guard let text = ShippedProfiles.text(of: name) else { return nil }
        return try? MessageProfile(text: text, file: "\(name).yaml")
    }

    /// The names of the shipped profiles.
    public static var shippedNames: [String] { ShippedProfiles.names }

    /// Returns the file of a shipped profile; nil when none has this name.
    public static func shippedText(_ name: String) -> String? { ShippedProfiles.text(of: name) }

    /// The JSON Schema of profiles, for completion and checks in editors.
    public static var schemaText: String {
        ShapeSchema(title: "CardPresent message profile", file: ProfileKeys.file).text
    }

    private init(_ document: SettingsDocument) throws(MessageProfileError) {
        let keys = ProfilePlaces.keys(in: document.root)
        guard keys.isEmpty else { throw MessageProfileError(keys) }
        var check = ShapeCheck()
        check.check(document.root, .record(ProfileKeys.file))
        var problems = check.problems
        guard problems.isEmpty else { throw MessageProfileError(problems.errors) }
        var decoder = ProfileDecoder(ShippedProfiles.completed(document.root))
        let profile = decoder.profile()
        problems.add(decoder.problems)
        guard problems.isEmpty, let profile else {
            throw MessageProfileError(problems.errors.map { ProfilePlaces.located($0, in: document.root) })
        }
        self = profile
    }
}

/// The mistakes in a message profile, in the order of the file.
public struct MessageProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistakes, at least one.
    public let errors: [SettingsError]

    init(_ errors: [SettingsError]) {
        self.errors = errors.sorted {
            ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column)
        }
    }

    /// The mistakes, one per line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// The profiles that the build embeds.
enum ShippedProfiles {
    static let names = ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"]

    /// Returns a profile laid over the one that it is based on.
    static func completed(_ root: SettingsNode, depth: Int = 4) -> SettingsNode {
        guard depth > 0, let name = try? root.optional("basedOn")?.text(), let text = text(of: name),
            let base = try? SettingsDocument(text: text, file: "\(name).yaml")
        else { return root }
        return root.without(keys: ["basedOn"]).laid(over: completed(base.root, depth: depth - 1))
    }

    static func text(of name: String) -> String? {
        let bytes: [UInt8]
        switch name {
        case "iso87-ascii": bytes = PackageResources.iso87_ascii_yaml
        case "iso87-bcd-tpdu": bytes = PackageResources.iso87_bcd_tpdu_yaml
        case "iso93-ebcdic": bytes = PackageResources.iso93_ebcdic_yaml
        case "iso2003": bytes = PackageResources.iso2003_yaml
        default: return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
