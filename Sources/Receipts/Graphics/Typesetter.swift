internal import CCairo

/// Sets text with Pango: in any script that an installed font has, in both directions.
///
/// What is set again is not set anew: receipts have their labels in common. It is used by one thread at a time.
final class Typesetter {
    /// What texts are set for.
    struct Style {
        /// The fonts to look in first.
        let families: String
        /// Whether outlines are fitted to pixels.
        let isForDots: Bool
        /// The distance of lines, in sizes of the font.
        let leading: Double
    }

    /// Pango's table of fonts.
    enum Fonts {
        /// That of the thread, which has loaded what was drawn before. Whoever takes it must not wait in between.
        case ofThread
        /// One that goes where the typesetter goes.
        case own
    }

    private struct Key: Hashable {
        let text: String
        let size: Double
        let isStrong: Bool
        let width: Double?
    }

    private static let cacheLimit = 512

    private let functions: ccairo_functions
    private let context: OpaquePointer
    private let style: Style
    private var cache: [Key: SetText] = [:]
    /// How many characters no font had so far.
    private(set) var missingGlyphs = 0

    /// - Parameters:
    ///   - functions: of the loaded library.
    ///   - locale: decides the direction, and which forms of Chinese characters are taken.
    ///   - style: of all texts.
    ///   - fonts: where they are taken from.
    init(_ functions: ccairo_functions, locale: ReceiptLocale, style: Style, fonts: Fonts = .ofThread) {
        (self.functions, self.style) = (functions, style)
        switch fonts {
        case .ofThread:
            context = functions.pango_font_map_create_context(functions.pango_cairo_font_map_get_default())
        case .own:
            let map = functions.pango_cairo_font_map_new()
            context = functions.pango_font_map_create_context(map)
            // The context keeps it.
            functions.g_object_unref(UnsafeMutableRawPointer(map))
        }
        // PANGO_DIRECTION_LTR is 0, PANGO_DIRECTION_RTL 1.
        functions.pango_context_set_base_dir(context, locale.isRightToLeft ? 1 : 0)
        functions.pango_context_set_language(context, functions.pango_language_from_string(locale.code))
        let options = functions.cairo_font_options_create()
        // CAIRO_HINT_STYLE_NONE is 1, CAIRO_HINT_STYLE_FULL 4; CAIRO_HINT_METRICS_OFF is 1.
        functions.cairo_font_options_set_hint_style(options, style.isForDots ? 4 : 1)
        functions.cairo_font_options_set_hint_metrics(options, 1)
        functions.pango_cairo_context_set_font_options(context, options)
        functions.cairo_font_options_destroy(options)
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(context)) }

    /// Sets a text.
    ///
    /// - Parameters:
    ///   - text: without control characters.
    ///   - size: of the font, in units of the surface.
    ///   - isStrong: whether in bold letters.
    ///   - width: at which lines are broken; nil for one line.
    /// - Returns: what can be measured and drawn.
    func set(_ text: String, size: Double, isStrong: Bool = false, width: Double? = nil) -> SetText {
        let key = Key(text: text, size: size, isStrong: isStrong, width: width)
        let set = cache[key] ?? setAnew(key)
        missingGlyphs += set.missingGlyphs
        return set
    }

    private func setAnew(_ key: Key) -> SetText {
        var set = SetText(layout(key, key.text), size: key.size, leading: style.leading, functions)
        if set.missingGlyphs > 0 {
            // A picture that no font has says nothing as a box; a letter does.
            let text = key.text.withoutEmoji
            if text != key.text {
                set = SetText(
                    layout(key, text), size: key.size, leading: style.leading, missingGlyphs: set.missingGlyphs,
                    functions)
            }
        }
        if cache.count == Self.cacheLimit { cache.removeAll(keepingCapacity: true) }
        cache[key] = set
        return set
    }

    private func layout(_ key: Key, _ text: String) -> OpaquePointer {
        let layout = functions.pango_layout_new(context)
        let font = functions.pango_font_description_new()
        functions.pango_font_description_set_family(font, style.families)
        functions.pango_font_description_set_weight(font, key.isStrong ? 700 : 400)
        functions.pango_font_description_set_absolute_size(font, key.size * SetText.scale)
        functions.pango_layout_set_font_description(layout, font)
        functions.pango_font_description_free(font)
        // The direction is the locale's, whatever character comes first.
        functions.pango_layout_set_auto_dir(layout, 0)
        if let width = key.width {
            functions.pango_layout_set_width(layout, Int32(max(1, width) * SetText.scale))
            // PANGO_WRAP_WORD_CHAR
            functions.pango_layout_set_wrap(layout, 2)
        }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return }
                functions.pango_layout_set_text(layout, start, Int32(clamping: characters.count))
            }
        }
        return layout
    }
}

extension String {
    fileprivate var withoutEmoji: String {
        let characters = filter { character in
            !character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
        }
        return characters.split(separator: " ").joined(separator: " ")
    }
}
