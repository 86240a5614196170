/// All files that the models ask for, with their paths from the root of the package.
struct Output {
    private(set) var files: [String: String] = [:]
    /// The tables of the records, for the day on which a step of the schema is written.
    let tables: String

    /// The folders that hold generated files and nothing else.
    static let folders = [
        "Sources/Networking/Copies", "Sources/Storage/Records/Generated", "Sources/Yosemite/Models/Copies",
        "Sources/Yosemite/Translation/Generated", "Tests/Fakes/Generated",
    ]

    /// - Throws: ``SourceError``
    init(_ package: PackageFolder) throws {
        let sources = try package.models()
        let catalog = try Catalog(sources)
        let planner = try RecordPlanner(catalog)
        let plans = planner.plans.values.sorted { $0.name < $1.name }
        tables = RecordWriter.tables(plans)
        for file in sources {
            let models = catalog.models.filter { $0.file == file }
            if !models.isEmpty { files[file.path] = try Initializer.inserted(into: file, models) }
        }
        var words: Set<String> = []
        for model in catalog.models {
            add(Self.copies(of: model.file), model.file, "\(model.name)+Copy", CopyWriter.text(model))
            add("Tests/Fakes/Generated", model.file, "\(model.name)+Fake", FakeWriter.text(model))
            for property in model.properties { words.formUnion(property.type.names) }
        }
        for declaration in words.compactMap({ catalog.enums[$0] }) {
            add("Tests/Fakes/Generated", declaration.file, "\(declaration.name)+Fake", FakeWriter.text(declaration))
        }
        for plan in plans {
            add("Sources/Storage/Records/Generated", plan.file, plan.recordName, RecordWriter.text(plan))
            add(
                "Sources/Yosemite/Translation/Generated", plan.file, "\(plan.recordName)+ReadOnly",
                TranslatorWriter.text(plan))
        }
        for model in planner.jsonModels.values {
            add("Sources/Yosemite/Translation/Generated", model.file, "\(model.name)+JSON", JSONWriter.text(model))
        }
        files["Sources/Storage/Records/Generated/SiteRecords.swift"] = RecordWriter.list(plans)
    }

    /// Copies are made where the model is.
    private static func copies(of file: SourceFile) -> String {
        file.module == "Yosemite" ? "Sources/Yosemite/Models/Copies" : "Sources/Networking/Copies"
    }

    private mutating func add(_ folder: String, _ file: SourceFile, _ name: String, _ text: String) {
        let family = file.family.isEmpty ? "" : file.family + "/"
        files["\(folder)/\(family)\(name).swift"] = text
    }
}
