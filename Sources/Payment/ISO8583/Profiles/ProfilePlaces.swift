import Settings

/// Finds the places of mistakes in the file of a user.
enum ProfilePlaces {
    /// Where a profile names keys.
    private static let keyNames = [
        ["security", "mac", "key"], ["security", "pin", "key"], ["security", "masterKey"],
    ]

    /// The least digits of a key: single DES.
    private static let leastDigits = 16

    /// Returns an error for each key that stands itself in the place of its name. It has no digit of the key.
    ///
    /// - Parameter root: the file of the user.
    /// - Returns: the errors; none for a file without keys.
    static func keys(in root: SettingsNode) -> [SettingsError] {
        keyNames.compactMap { path in
            guard let node = node(at: path, in: root), let text = try? node.concealed.text(), isKey(text) else {
                return nil
            }
            return node.concealed.error(
                "this is a key, and not the name of one",
                fix: "write the name of the key here, and a new key into the key file: others may have read this one")
        }
    }

    private static func isKey(_ text: String) -> Bool {
        let digits = text.filter { ![" ", ":", "-"].contains($0) }
        return digits.utf8.count >= leastDigits && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static func node(at path: [String], in root: SettingsNode) -> SettingsNode? {
        path.reduce(root as SettingsNode?) { node, key in
            guard let node, let found = try? node.optional(key) else { return nil }
            return found
        }
    }

    /// Returns an error with its place in the file of the user, also when its subject comes from the profile below.
    /// That is the nearest key that the user wrote, or else `basedOn`.
    ///
    /// - Parameters:
    ///   - error: the mistake.
    ///   - root: the file of the user.
    /// - Returns: the error with that place.
    static func located(_ error: SettingsError, in root: SettingsNode) -> SettingsError {
        guard error.location.file != root.location.file else { return error }
        var place = (try? root.optional("basedOn"))?.location ?? root.location
        var node = root
        for part in error.keyPath.split(separator: ".") {
            let key = String(part.prefix { $0 != "[" })
            guard let entry = (try? node.entries())?.first(where: { $0.key == key }) else { break }
            (place, node) = (entry.location, entry.value)
        }
        return SettingsError(location: place, keyPath: error.keyPath, problem: error.problem)
    }
}
