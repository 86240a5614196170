import ScenarioFormat
import ScenarioRunner
import Testing

@Suite("Choosing scenarios")
struct SelectionTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private static let found: [ScenarioFinder.Found] = {
        let text = """
            template_version: 1
            description: One of many
            cases:
              a: { tag: smoke }
              b: { tag: slow }
              c: { tag: smoke }
              d: { tag: other }
              e: { tag: slow }
            tags: ["${tag}", all]
            steps: [connect]
            """
        let scenarios = (try? ScenarioFile.scenarios(text: text, path: "shop/many.yaml")) ?? []
        return scenarios.map { ScenarioFinder.Found(name: "shop/\($0.name)", scenario: $0) }
    }()

    private func names(_ selection: ScenarioSelection) -> [String] {
        selection.runs(of: Self.found).map { String($0.name.dropFirst("shop/many".count)) }
    }

    @Test("by a part of the name, or by the whole name")
    func filter() {
        #expect(names(ScenarioSelection(filter: "[c]")) == ["[c]"])
        #expect(names(ScenarioSelection(filter: "shop/*[d]")) == ["[d]"])
        #expect(names(ScenarioSelection(filter: "many*")).isEmpty)
    }

    @Test("by tags that they have, and that they do not have")
    func tags() {
        #expect(names(ScenarioSelection(tags: ["smoke"])) == ["[a]", "[c]"])
        #expect(names(ScenarioSelection(tags: ["smoke", "other"])) == ["[a]", "[c]", "[d]"])
        #expect(names(ScenarioSelection(tags: ["all", "!slow"])) == ["[a]", "[c]", "[d]"])
        #expect(names(ScenarioSelection(tags: ["none"])).isEmpty)
    }

    @Test("the shards of a run cover every scenario once", arguments: 1...7)
    func shards(_ count: Int) throws {
        var all: [String] = []
        for number in 1...count {
            let shard = try #require(ScenarioSelection.Shard("\(number)/\(count)"))
            all += names(ScenarioSelection(shard: shard, isShuffled: true))
        }
        #expect(all.sorted() == names(ScenarioSelection()))
    }

    @Test(
        "invalid shards are rejected", arguments: ["0/3", "4/3", "1", "a/b", "1/0", "1/2/3", "-1/3", ""])
    func wrongShards(_ text: String) { #expect(ScenarioSelection.Shard(text) == nil) }

    @Test("only the seed decides the order of a shuffled run")
    func shuffle() {
        let first = names(ScenarioSelection(seed: 5, isShuffled: true))
        #expect(first == names(ScenarioSelection(seed: 5, isShuffled: true)))
        #expect(first.sorted() == names(ScenarioSelection()))
        #expect((1...20).contains { names(ScenarioSelection(seed: $0, isShuffled: true)) != first })
    }

    @Test("each repetition has the next seed, and a scenario's own seed comes first")
    func repetitions() throws {
        let runs = ScenarioSelection(filter: "[a]", seed: 10, repetitions: 3).runs(of: Self.found)
        #expect(runs.map(\.seed) == [10, 11, 12])
        #expect(runs.map(\.name) == ["shop/many[a] #1", "shop/many[a] #2", "shop/many[a] #3"])
        var own = Self.found[0]
        own.scenario.seed = 99
        #expect(ScenarioSelection(seed: 10, repetitions: 2).runs(of: [own]).map(\.seed) == [99, 100])
    }

    // MARK: Files

    private static func file(_ description: String) -> String {
        "template_version: 1\ndescription: \(description)\nsteps: [connect]\n"
    }

    @Test("folders are read in the order of names, without shared and golden files")
    func folders() throws {
        for name in ["b/two.yaml", "a/one.yml", "a/three.yaml", "_shared/till.yaml", "a/_draft.yaml", "a/.hidden.yaml"]
        {
            try folder.write(Self.file(name), to: name)
        }
        try folder.write("not a scenario", to: "a/golden/one.yaml")
        try folder.write("not a scenario", to: "a/notes.txt")
        let found = try ScenarioFinder.scenarios(at: [folder.path])
        #expect(found.map(\.name) == ["a/one", "a/three", "b/two"])
        let again = try ScenarioFinder.scenarios(at: [folder.path + "/a/three.yaml", folder.path + "/"])
        #expect(again.map(\.name) == ["a/three", "a/one", "b/two"])
    }

    @Test("a missing path is reported, and all invalid files together")
    func failures() throws {
        #expect(throws: ScenarioFinder.Failure.self) { try ScenarioFinder.scenarios(at: [folder.path + "/gone"]) }
        try folder.write("template_version: 1\nsteps: [conect]\n", to: "one.yaml")
        try folder.write("steps: [", to: "two.yaml")
        try folder.write(Self.file("right"), to: "three.yaml")
        do {
            _ = try ScenarioFinder.scenarios(at: [folder.path])
            Issue.record("wrong files were read")
        } catch {
            guard case .malformed(let errors) = error else {
                Issue.record("not told as wrong files")
                return
            }
            #expect(errors.map(\.errors.count) == [2, 1])
        }
    }
}
