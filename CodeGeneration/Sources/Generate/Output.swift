/// All files that the models ask for, by their paths from the root of the package: one file for each domain and target.
struct Output {
    private(set) var files: [String: String] = [:]
    /// The SQL tables of all records, for a new step of the schema.
    let tables: String

    /// A folder that holds generated files and nothing else.
    private enum Folder: String, CaseIterable {
        case copies = "Sources/Store/Networking/Copies"
        case records = "Sources/Store/Storage/Records/Generated"
        case translation = "Sources/Store/Yosemite/Translation/Generated"
        case fakes = "Tests/Support/Fakes/Generated"

        /// Returns the path of a domain's file. Swift refuses two files of one name in a module, so the name says what
        /// the file holds.
        func file(_ domain: String) -> String {
            let contents = String(describing: self)
            return "\(rawValue)/\(domain)\(contents.prefix(1).uppercased())\(contents.dropFirst()).swift"
        }
    }

    /// The paths of the folders that hold generated files and nothing else.
    static let folders = Folder.allCases.map(\.rawValue)

    /// - Throws: ``SourceError``
    init(_ package: PackageFolder) throws { try self.init(package.models()) }

    /// - Throws: ``SourceError``
    init(_ sources: [SourceFile]) throws {
        let catalog = try Catalog(sources)
        let planner = try RecordPlanner(catalog)
        let plans = planner.plans.values.sorted { $0.name < $1.name }
        tables = RecordWriter.tables(plans)
        for file in sources {
            let models = catalog.models.filter { $0.file == file }
            if !models.isEmpty { files[file.path] = try Initializer.inserted(into: file, models) }
        }
        var parts: [String: [Part]] = [:]
        func add(_ folder: Folder, _ file: SourceFile, _ part: Part) {
            parts[folder.file(file.domain), default: []].append(part)
        }
        var words: Set<String> = []
        for model in catalog.models {
            add(model.file.module == "Yosemite" ? .translation : .copies, model.file, CopyWriter.part(model))
            add(.fakes, model.file, FakeWriter.part(model))
            for property in model.properties { words.formUnion(property.type.names) }
        }
        for declaration in words.sorted().compactMap({ catalog.enums[$0] }) {
            add(.fakes, declaration.file, FakeWriter.part(declaration))
        }
        for plan in plans {
            add(.records, plan.file, RecordWriter.part(plan))
            add(.translation, plan.file, TranslatorWriter.part(plan))
        }
        for model in planner.jsonModels.values.sorted(by: { $0.name < $1.name }) {
            add(.translation, model.file, JSONWriter.part(model))
        }
        for (path, parts) in parts { files[path] = Part.file(parts) }
        files[Folder.records.file("All")] = Part.file([RecordWriter.list(plans)])
    }
}
