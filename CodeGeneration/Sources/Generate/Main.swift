import Foundation

/// Writes the generated code of the annotated models, or reports stale files.
///
/// Usage: `Generate ROOT [--check | --schema]`. `ROOT` is the folder of the package that contains the models.
@main struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let root = arguments.first else { return fail("Missing argument: the folder of the package.", code: 64) }
        do {
            let package = PackageFolder(root: root)
            let output = try Output(package)
            switch arguments.dropFirst().first {
            case "--schema": print(output.tables)
            case "--check":
                let stale = try package.stale(output)
                for path in stale { print("\(path) is stale") }
                if !stale.isEmpty {
                    return fail("Generated code is stale. Run Scripts/generate and commit the result.", code: 1)
                }
            case nil: print("\(try package.write(output)) files written")
            case let other?: fail("Unknown argument '\(other)'. Use --check or --schema.", code: 64)
            }
        } catch {
            fail("\(error)", code: 65)
        }
    }

    private static func fail(_ message: String, code: Int32) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(code)
    }
}
