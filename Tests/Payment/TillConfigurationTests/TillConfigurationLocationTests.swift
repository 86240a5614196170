import Testing
import TillConfiguration

@Suite("The location of the till's configuration")
struct TillConfigurationLocationTests {
    private func path(_ option: String?, _ environment: [String: String], files: Set<String>) -> String? {
        TillConfiguration.path(option: option, environment: environment) { files.contains($0) }
    }

    private let own = "/home/u/.config/cardpresent/cardpresent.yaml"
    private let shared = "/etc/till/cardpresent/cardpresent.yaml"

    @Test func `the given file is used, even if it is missing`() {
        #expect(path("x.yaml", ["HOME": "/home/u"], files: [own]) == "x.yaml")
    }

    @Test func `the XDG directory replaces the home directory`() {
        let environment = ["HOME": "/home/u", "XDG_CONFIG_HOME": "/etc/till/"]
        #expect(path(nil, environment, files: [own, shared]) == shared)
        #expect(path(nil, environment, files: [own]) == nil)
    }

    @Test(arguments: ["", "relative/directory"])
    func `a relative directory is ignored`(directory: String) {
        #expect(path(nil, ["HOME": "/home/u", "XDG_CONFIG_HOME": directory], files: [own]) == own)
    }

    @Test func `without a file, or without any directory, the standard configuration is used`() {
        #expect(path(nil, ["HOME": "/home/u"], files: []) == nil)
        #expect(path(nil, [:], files: [own, shared]) == nil)
        #expect(TillConfiguration.defaultPath(environment: ["HOME": "/home/u"]) == own)
        #expect(TillConfiguration.defaultPath(environment: ["HOME": "u"]) == nil)
    }
}
