internal import ArgumentParser
internal import ScenarioFormat

/// `simulate schema`
struct SimulateSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the JSON Schema of scenario files, for editors.",
        discussion: """
            An editor with a YAML language server completes and checks scenario files with it: begin a file with \
            '# yaml-language-server: $schema=PATH'.
            """)

    func run() throws {
        do { try StandardOutput.write(ScenarioSchema.text) } catch {
            error.report()
            throw ExitCode(error.status.rawValue)
        }
    }
}
