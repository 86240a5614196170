import Foundation
import Testing

@Suite("features")
struct FeaturesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func features(
        _ words: [String] = [], _ environment: [String: String] = [:]
    ) throws -> (ProgramResult, [String: [String: Any]]) {
        let result = try Program.run(
            ["features", "--json", "--database", scratch.database] + words, in: scratch, environment: environment)
        let list = (try? result.object()["features"]) as? [[String: Any]] ?? []
        return (result, Dictionary(uniqueKeysWithValues: list.map { ($0["name"] as? String ?? "", $0) }))
    }

    @Test func `the environment overrides the configuration`() throws {
        let file = try scratch.write("features: {backendReceipts: false, concurrentSync: false}\n", to: "till.yaml")
        let (result, features) = try features(["--config", file], ["CARDPRESENT_FEATURES": "concurrentSync"])
        #expect(result.status == 0, "\(result.error)")
        #expect(features["backendReceipts"]?["enabled"] as? Bool == false)
        #expect(features["backendReceipts"]?["origin"] as? String == "configuration")
        #expect(features["concurrentSync"]?["enabled"] as? Bool == true)
        #expect(features["concurrentSync"]?["origin"] as? String == "environment")
    }

    @Test func `features and experiments have headings`() throws {
        let lines = try Program.run(["features", "--database", scratch.database], in: scratch).output
            .split(separator: "\n").map(String.init)
        #expect(lines.first == "ON   NAME                      ORIGIN         MEANING")
        #expect(lines.contains { $0.hasPrefix("on   backendReceipts           build          the store's own") })
        #expect(lines.contains { $0.hasPrefix("     requestConcurrency        -              how many") })
    }

    @Test func `unknown names are configuration errors with a suggestion`() throws {
        let (result, _) = try features([], ["CARDPRESENT_FEATURES": "backendReceipt"])
        #expect(result.status == 78)
        #expect(result.error.contains("did you mean 'backendReceipts'?"))
        let file = try scratch.write("features: {backendReceipt: true}\n", to: "till.yaml")
        let (configured, _) = try features(["--config", file])
        #expect(configured.status == 78)
        #expect(configured.error.contains("till.yaml:1"))
    }

    @Test func `a disabled keyring is rejected before anything is stored`() throws {
        let file = try scratch.write(
            "store: {credentials: keyring}\nfeatures: {kernelKeyring: false}\n", to: "till.yaml")
        let result = try Program.run(
            ["sites", "--config", file, "--database", scratch.database], in: scratch)
        #expect(result.status == 78)
        #expect(result.error.contains("kernelKeyring"))
    }
}
