internal import Files
internal import SettingsFile

/// Keeps what every experiment gave this till, in a file: once given, it stays.
///
/// What it does not know, such as an experiment of another version of the program, stays in the file.
public struct VariationCache: Sendable {
    private let path: String
    private let storage = FileStorage(limit: 65_536)

    private static let version = 1

    public init(path: String) { self.path = path }

    /// Everything that was given, by the names of the experiments; empty when there is no file yet.
    ///
    /// - Throws: ``VariationCacheError``
    public func assignments() throws(VariationCacheError) -> [String: Variation] {
        do throws(FileStorageError) { return try Self.read(try storage.contents(of: path), path) } catch {
            throw VariationCacheError(description: error.description)
        }
    }

    /// What an experiment gave this till. When it gave nothing yet, it is given what `choose` says, for good.
    ///
    /// - Throws: ``VariationCacheError``
    func variation(of test: ABTest, orElse choose: () -> Variation) throws(VariationCacheError) -> Variation {
        do throws(FileStorageError) {
            if let known = try Self.read(try storage.contents(of: path), path)[test.rawValue] { return known }
            return try storage.update(path) { bytes throws(FileStorageError) in
                var assignments = try Self.read(bytes, path)
                // Another process may have been faster.
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

    /// What needs no quoting in YAML.
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
