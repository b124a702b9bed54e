window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#documentation",
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis],
  });
});
