internal import SettingsFile

/// A section that is a list of values and of names of files, each of which is a list of more values.
enum ListWithFiles {
    /// The most files of one section.
    private static let fileLimit = 20

    /// The values in their order, those of a file at the place of its name. Without a node the file has no such
    /// section.
    static func values(_ section: SettingsNode?) throws(SettingsError) -> [SettingsNode] {
        guard let section else { return [] }
        var (values, files) = ([SettingsNode](), 0)
        for node in try section.list() {
            guard node.kind == .text else {
                values.append(node)
                continue
            }
            files += 1
            guard files <= fileLimit else { throw node.error("more than \(fileLimit) files") }
            values += try contents(node)
        }
        return values
    }

    /// A relative name starts at the directory of the file in which it stands.
    private static func contents(_ node: SettingsNode) throws(SettingsError) -> [SettingsNode] {
        let name = try node.line(length: 1...1024)
        do throws(SettingsError) {
            return try SettingsDocument.list(path: path(name, besides: node.location.file))
        } catch {
            // Where the name is wrong it is this file that must be mended, not the one it names.
            guard case .unreadableFile = error.problem else { throw error }
            throw node.error(error.message, fix: "name a file in the directory of this one")
        }
    }

    private static func path(_ name: String, besides file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        return file[...slash] + name
    }
}
