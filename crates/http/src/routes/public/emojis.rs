//! Custom emojis as images. The API leaves their shortcodes for clients to replace.

use siskin_text::{escape, replace_shortcodes};
use siskin_wire::emoji::CustomEmoji;

/// Returns HTML with images in place of the shortcodes of these emojis.
pub(super) fn in_html(html: &str, emojis: &[CustomEmoji]) -> String {
    if emojis.is_empty() {
        return html.to_owned();
    }
    let find = |name: &str| emojis.iter().find(|emoji| emoji.shortcode == name);
    replace_shortcodes(html, |name| find(name).map(picture))
}

/// Does the same for plain text and returns HTML.
pub(super) fn in_text(text: &str, emojis: &[CustomEmoji]) -> String {
    in_html(&escape(text), emojis)
}

/// Renders an image. Animations stand still for people with reduced motion in their system
/// settings.
fn picture(emoji: &CustomEmoji) -> String {
    let (name, url) = (escape(&emoji.shortcode), escape(&emoji.url));
    let image = format!(
        r#"<img class="emoji" src="{url}" alt=":{name}:" title=":{name}:" width="20" height="20">"#
    );
    if emoji.url == emoji.static_url {
        return image;
    }
    let still = escape(&emoji.static_url);
    format!(
        r#"<picture><source media="(prefers-reduced-motion: reduce)" srcset="{still}">{image}</picture>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emoji(shortcode: &str, still: &str) -> CustomEmoji {
        CustomEmoji {
            shortcode: shortcode.to_owned(),
            url: "/media/a.gif".to_owned(),
            static_url: still.to_owned(),
            visible_in_picker: true,
            category: None,
        }
    }

    #[test]
    fn shortcodes_become_images_and_text_is_escaped() {
        let (still, moving) = (emoji("cat", "/media/a.gif"), emoji("bird", "/media/b.png"));
        let html = in_text("<b> & :cat: :dog:", &[still]);
        assert!(html.starts_with("&lt;b&gt; &amp; <img class=\"emoji\" src=\"/media/a.gif\""));
        assert!(html.contains("alt=\":cat:\"") && html.ends_with("> :dog:"), "{html}");
        let html = in_html("<p>:bird:</p>", &[moving]);
        assert!(html.starts_with("<p><picture><source media=") && html.ends_with("</picture></p>"));
        assert!(html.contains("srcset=\"/media/b.png\""), "{html}");
        assert_eq!(in_html("<p>:cat:</p>", &[]), "<p>:cat:</p>");
    }
}
