internal import Foundation

/// Writes what the annotated models ask for, or says what is stale.
///
/// `Generate ROOT [--check | --schema]`, where `ROOT` is the folder of the package that has the models.
@main struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let root = arguments.first else { return fail("give the folder of the package", code: 64) }
        do {
            let package = PackageFolder(root: root)
            let output = try Output(package)
            switch arguments.dropFirst().first {
            case "--schema": print(output.tables)
            case "--check":
                let stale = try package.stale(output)
                for path in stale { print("\(path) is stale") }
                if !stale.isEmpty { return fail("run Scripts/generate and commit what it writes", code: 1) }
            case nil: print("\(try package.write(output)) files written")
            case let other?: fail("unknown argument '\(other)'", code: 64)
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
