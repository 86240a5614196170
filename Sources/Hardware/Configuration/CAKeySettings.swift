internal import Determinism
internal import EMV
internal import SettingsFile

/// The sections `caKeys` and `caKeyFiles`: the payment systems' public keys.
struct CAKeySettings {
    private(set) var keys: [CAPublicKey] = []

    /// The most keys of a till.
    private static let limit = 150

    /// Reads both sections of a whole configuration.
    init(_ root: SettingsNode) throws(SettingsError) {
        if let list = try root.optional("caKeys") { try add(list) }
        for file in try root.optional("caKeyFiles")?.list(count: 0...20) ?? [] { try addFile(file) }
    }

    private mutating func add(_ list: SettingsNode) throws(SettingsError) {
        for node in try list.list() {
            let key = try Self.key(node)
            guard !keys.contains(where: { $0.rid == key.rid && $0.index == key.index }) else {
                throw node.error(
                    "key \([key.index].hexadecimal) of \(key.rid.hexadecimal) is there twice", fix: "remove one of them"
                )
            }
            guard keys.count < Self.limit else { throw node.error("more than \(Self.limit) keys") }
            keys.append(key)
        }
    }

    /// A relative name starts at the directory of the file in which it stands.
    private mutating func addFile(_ node: SettingsNode) throws(SettingsError) {
        let name = try node.line(length: 1...1024)
        let root: SettingsNode
        do throws(SettingsError) {
            root = try SettingsDocument(path: Self.path(name, besides: node.location.file)).root
        } catch {
            // Where the name is wrong it is this file that must be mended, not the one it names.
            guard case .unreadableFile = error.problem else { throw error }
            throw node.error(error.message, fix: "name a file in the directory of this one")
        }
        try root.mapping(allowedKeys: ["caKeys"])
        try add(try root.required("caKeys"))
    }

    private static func path(_ name: String, besides file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        return file[...slash] + name
    }

    private static func key(_ node: SettingsNode) throws(SettingsError) -> CAPublicKey {
        try node.mapping(allowedKeys: ["rid", "index", "modulus", "exponent", "checksum", "expires"])
        let rid = try node.required("rid").hex(length: 5)
        let index = try node.required("index").hex(length: 1)
        let modulus = try node.required("modulus").hex(length: 64...248)
        let exponent = try node.required("exponent").hex(length: 1...3)
        let checksum = try node.required("checksum").hex(length: 20)
        let expires = try node.optional("expires")?.date()
        do throws(CAPublicKeyError) {
            return try CAPublicKey(
                rid: rid, index: index.first ?? 0, modulus: modulus, exponent: exponent, checksum: checksum,
                expiry: expires)
        } catch {
            let key =
                switch error {
                case .ridLength: "rid"
                case .modulusLength, .cryptography: "modulus"
                case .exponent: "exponent"
                case .checksumMismatch: "checksum"
                }
            throw (try node.required(key)).error(error.description)
        }
    }
}
