import Files

/// Stores this till's variation in every experiment in a file. A stored variation never changes.
///
/// Unknown entries, such as experiments of another version of the program, stay in the file.
public struct VariationCache: Sendable {
    private let path: String
    private let storage = FileStorage(limit: 65_536)

    private static let version = 1

    /// Names the file, which need not exist until a variation is stored.
    public init(path: String) { self.path = path }

    /// Returns the stored variations by the names of the experiments; none when there is no file yet.
    ///
    /// - Throws: ``VariationCacheError``
    public func assignments() throws(VariationCacheError) -> [String: Variation] {
        do throws(FileStorageError) { return try Self.read(try storage.contents(of: path), path) } catch {
            throw VariationCacheError(description: error.description)
        }
    }

    /// Returns this till's variation in an experiment. If there is none, it stores the one that `choose` returns.
    ///
    /// - Throws: ``VariationCacheError``
    func variation(of test: ABTest, orElse choose: () -> Variation) throws(VariationCacheError) -> Variation {
        do throws(FileStorageError) {
            if let known = try Self.read(try storage.contents(of: path), path)[test.rawValue] { return known }
            return try storage.update(path) { bytes throws(FileStorageError) in
                var assignments = try Self.read(bytes, path)
                // Another process may have stored one in the meantime.
                let variation = assignments[test.rawValue] ?? choose()
                assignments[test.rawValue] = variation
                return (Self.bytes(assignments), variation)
            }
        } catch {
            throw VariationCacheError(description: error.description)
        }
    }

    private static func read(_ bytes: [UInt8]?, _ path: String) throws(FileStorageError) -> [String: Variation] {
        guard let bytes else { return [:] }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(path: path, reason: "it is not text")
        }
        var assignments: [String: Variation] = [:]
        let found: Int
        do throws(SettingsError) {
            let root = try SettingsDocument(text: text, file: path).root
            found = try root.required("version").int(in: 1...Int.max)
            for entry in try root.optional("variations")?.entries() ?? [] {
                let name = try entry.value.text(length: 1...100)
                guard (entry.key + name).utf8.allSatisfy(isPlain) else { throw entry.value.error("no plain word") }
                assignments[entry.key] = Variation(name: name)
            }
        } catch {
            throw .malformed(path: path, reason: "\(error)")
        }
        guard found <= version else { throw .newerVersion(path: path, found: found, supported: version) }
        return assignments
    }

    /// Whether YAML needs no quotes for the character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func bytes(_ assignments: [String: Variation]) -> [UInt8] {
        let lines = assignments.sorted { $0.key < $1.key }.map { "  \"\($0.key)\": \"\($0.value.name)\"\n" }
        return Array("version: \(version)\nvariations:\n\(lines.joined())".utf8)
    }
}

/// The reason why variations cannot be read or stored.
public struct VariationCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
