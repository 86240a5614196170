internal import Settings

/// The JSON Schema of scenario files, for completion and checks in editors. It is generated from ``ScenarioKeys``; the
/// program itself checks more.
public enum ScenarioSchema {
    /// The schema as JSON text with a final line break.
    public static var text: String {
        ShapeSchema(title: "CardPresent scenario", file: ScenarioKeys.file, hasVariables: true).text
    }
}
