/// Paths as files name other files: beside the file that they stand in, unless they begin with a slash.
enum FilePath {
    /// `name` as it is reached from where the program runs.
    static func resolved(_ name: String, from file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return normal(name) }
        return normal(file[...slash] + name)
    }

    /// Without `.`, and without `..` where something stands before it.
    static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The last part, without `.yaml` or `.yml`.
    static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
        return name
    }
}
