/// JavaScript modules as one script, for a page of one file. Each module becomes a function that returns what it
/// exports.
///
/// A module imports names or a whole module, at the beginning of a line: `import { a, b as c } from "./x.js";`,
/// `import * as x from "./x.js";`. It exports declarations: `export const`, `export function`, `export class`.
public struct JoinedScript {
    /// The modules by name, each after those that it imports.
    private var done: [(name: String, text: String)] = []
    private let modules: [String: String]

    /// - Parameters:
    ///   - main: the name of the module to run.
    ///   - modules: the modules by name.
    public init(_ main: String, of modules: [String: String]) {
        self.modules = modules
        add(main)
    }

    /// The names of the modules, each after those that it imports.
    public var names: [String] { done.map(\.name) }

    /// The script.
    public var text: String {
        "\"use strict\";\nconst modules = {};\n"
            + done.map { "modules[\"\($0.name)\"] = (() => {\n\($0.text)})();\n" }.joined()
    }

    private mutating func add(_ name: String) {
        guard !names.contains(name), let source = modules[name] else { return }
        var (lines, exports): ([String], [String]) = ([], [])
        var statement = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if !statement.isEmpty || line.hasPrefix("import ") {
                // An import may have several lines.
                statement += line
                guard line.hasSuffix(";") else { continue }
                lines.append(take(statement))
                statement = ""
            } else if line.hasPrefix("export ") {
                let declaration = line.dropFirst("export ".count)
                exports.append(Self.name(in: declaration))
                lines.append(String(declaration))
            } else {
                lines.append(String(line))
            }
        }
        lines.append("return { \(exports.joined(separator: ", ")) };\n")
        done.append((name, lines.joined(separator: "\n")))
    }

    /// Adds the module of an import statement.
    ///
    /// - Returns: the statement that takes its place.
    private mutating func take(_ statement: String) -> String {
        let quoted = statement.split(separator: "\"")
        let file = quoted.count > 1 ? String(quoted[1].drop { $0 == "." || $0 == "/" }) : ""
        add(file)
        guard let end = statement.range(ofText: " from ") else { return "" }
        let names = statement[..<end].dropFirst("import ".count)
        let wanted =
            names.hasPrefix("* as ")
            ? String(names.dropFirst("* as ".count))
            : names.split(separator: ",", omittingEmptySubsequences: false)
                .map { part in
                    // `a as b` is `a: b` in a pattern.
                    let words = part.split(separator: " ")
                    return words.count >= 3 && words.contains("as")
                        ? words.map { $0 == "as" ? ":" : String($0) }.joined(separator: " ") : String(part)
                }
                .joined(separator: ",")
        return "const \(wanted) = modules[\"\(file)\"];"
    }

    /// The name that a declaration gives.
    private static func name(in declaration: Substring) -> String {
        let kinds: Set<Substring> = ["const", "let", "function", "function*", "class", "async"]
        let word = declaration.split(separator: " ").first { !kinds.contains($0) } ?? ""
        return String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
    }
}

extension String {
    /// The place where `text` begins.
    fileprivate func range(ofText text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}

/// The files of the pages that show sessions: the console's, and those of reports.
public enum PageFiles {
    /// The console without its styles and its script.
    public static let console = text(PackageResources.console_html)
    /// The console of a back office without its styles and its script.
    public static let fleet = text(PackageResources.fleet_html)
    /// The styles of all pages.
    public static let style = text(PackageResources.console_css)

    /// The modules of the scripts by name. `main.js` starts the console, `report.js` a page without a server, and
    /// `fleet.js` the console of a back office.
    public static let modules: [String: String] = [
        "main.js": PackageResources.main_js, "dom.js": PackageResources.dom_js,
        "service.js": PackageResources.service_js, "model.js": PackageResources.model_js,
        "moment.js": PackageResources.moment_js, "reader.js": PackageResources.reader_js,
        "till.js": PackageResources.till_js, "faults.js": PackageResources.faults_js,
        "lanes.js": PackageResources.lanes_js, "timeline.js": PackageResources.timeline_js,
        "decoding.js": PackageResources.decoding_js, "scenario.js": PackageResources.scenario_js,
        "sessions.js": PackageResources.sessions_js, "details.js": PackageResources.details_js,
        "report.js": PackageResources.report_js, "opening.js": PackageResources.opening_js,
        "fleet.js": PackageResources.fleet_js,
    ].mapValues(text)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
